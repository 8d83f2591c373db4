using System;

namespace Shop
{
    /// <summary>Sends mails.</summary>
    [Service("mail")]
    public class MailService : IService
    {
        public string Host { get; set; } = "localhost";

        public MailService(string host) => Host = host;

        #region sending
        /// <summary>Sends one mail.</summary>
        [Obsolete]
        public async Task<bool> SendAsync<T>(T mail) where T : class
        {
            var path = @"c:\mails\{new}\";
            await Queue.PutAsync($"{path}{mail}");
            return true;
        }
        #endregion
    }
}
