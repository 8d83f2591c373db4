package parse_test

// sampleTexts are paragraphs written for these tests, by language. The first
// sentence of each stands alone as a short case.
var sampleTexts = map[string]string{
	"zh-Hans notice": "各位同事，下周一上午九点在三楼会议室召开季度总结会，请提前准备材料。会议大约持续两个小时，结束以后统一安排午餐。" +
		"不能到场的同事请在周五下班以前向行政部说明原因，会议记录会发到大家的邮箱。",
	"zh-Hans story": "老李在河边种了一排柳树，每到春天就有孩子来折枝条做哨子。他从来不骂人，只是笑着说：“给树留一点，明年还有。”" +
		"后来孩子们长大了，离开村子去了很远的城市，柳树却越长越高，风一吹就像在招手。",
	"zh-Hans technical": "系统启动后先读取配置文件，再连接数据库；如果连接失败，会每隔5秒重试一次，最多重试10次。索引重建期间可以查询，" +
		"但新写入的文档要等到重建完成才能被检索到。日志保存在logs目录，默认保留30天。",
	"zh-Hant news": "市政府昨天宣布，明年起將在沿海地區增設三座風力發電廠，預計可以滿足二十萬戶家庭的用電需求。環保團體表示歡迎，" +
		"但也提醒施工期間必須保護候鳥棲息地，避免噪音影響附近居民的生活品質。",
	"zh-Hant letter": "親愛的姐姐，謝謝妳上個月寄來的茶葉和照片，爸媽看了都很高興。這裡的天氣漸漸轉涼，早上出門要多穿一件外套。" +
		"等學校放寒假以後，我打算搭火車回去看妳，順便把借的書還給圖書館。",
	"ja essay": "駅前の小さな本屋は、夕方になると学生でいっぱいになります。店主のおばあさんは、どの棚に何があるかをすべて覚えていて、" +
		"探している本の名前を言うとすぐに持ってきてくれます。最近はインターネットで買う人が増えましたが、私は今でもこの店が好きです。",
	"ja manual": "電源を入れる前に、ケーブルが正しく接続されていることを確認してください。画面にエラーが表示された場合は、" +
		"本体を再起動し、それでも直らないときはサポートセンターまでご連絡ください。保証期間は購入日から一年間です。",
	"ko notice": "다음 주 월요일 오전 아홉 시에 삼층 회의실에서 분기 보고회를 엽니다. 발표 자료는 금요일까지 담당자에게 보내 주시기 바랍니다. " +
		"참석하지 못하는 분은 미리 이유를 알려 주세요. 회의가 끝난 뒤에는 함께 점심을 먹을 예정입니다.",
	"ko story": "할머니는 매일 아침 일찍 일어나 마당을 쓸고 꽃에 물을 주셨다. 나는 그 소리를 들으며 천천히 눈을 떴다. " +
		"창문 밖으로 보이는 하늘은 언제나 맑았고, 부엌에서는 된장국 냄새가 났다.",
	"en report": "The committee met on Tuesday to discuss the new schedule. It was agreed that the library should stay open until nine in " +
		"the evening during the examination period, and that two additional assistants would be hired for the weekends.",
	"en typographic": "“It’s never too late,” she said — and then she laughed. The café on the corner had closed years ago, but its sign still " +
		"hung above the door: “Open daily, 8–18”. Nobody’s résumé mentions such places.",
	"fr letter": "Chère Hélène, je t'écris de la petite maison que nous avons louée près de la forêt. Le matin, après le café, je vais chercher du " +
		"pain au village où l'épicière me raconte toujours les mêmes histoires. Grâce à elle, je connais déjà tout le monde, même le maître d'école.",
	"de article": "Für die Überprüfung der Geräte sind künftig größere Prüfräume nötig. Die Verwaltung möchte deshalb das frühere Lagerhaus an der " +
		"Straße nach Köln umbauen. Während der Bauarbeiten müssen die Mitarbeiter in andere Gebäude ausweichen.",
	"ru story": "Вечером мы сидели у костра и слушали, как шумит река. Дедушка рассказывал о том, как он в молодости строил мосты на севере, " +
		"где зимой солнце почти не показывается. Никто не хотел уходить спать, хотя давно стемнело.",
	"uk note": "Учора ввечері до нас приїхали гості з Києва, і ми довго розмовляли за столом. Вони привезли свіжий хліб, мед і кілька книжок для дітей. " +
		"Її брат обіцяв надіслати світлини наступного тижня.",
	"pl note": "W przyszłym tygodniu będziemy sprawdzać, czy wszystkie urządzenia działają prawidłowo. Proszę zgłosić każdą usterkę, nawet niewielką, " +
		"ponieważ później trudniej będzie ją usunąć. Dziękujemy za współpracę i życzymy miłego dnia.",
	"cs note": "Příští týden začínáme s opravou střechy, proto prosíme všechny obyvatele, aby si přestěhovali věci z půdy. Práce potrvají přibližně " +
		"čtyři dny. Výtah bude během té doby mimo provoz, děkujeme za trpělivost.",
	"hu note": "A jövő héten megújul a könyvtár épülete, ezért néhány napig zárva tartunk. Az olvasók a kölcsönzött könyveket később is " +
		"visszahozhatják, késedelmi díj nélkül. Köszönjük a türelmüket, és szeretettel várunk mindenkit az új olvasóteremben.",
	"es note": "Mañana por la mañana vendrán los técnicos a revisar la calefacción. ¿Podría alguien abrirles la puerta? También habrá que explicarles " +
		"dónde está la habitación pequeña, porque el año pasado no la encontraron. ¡Muchísimas gracias!",
}
