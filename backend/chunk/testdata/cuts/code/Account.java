package bank;

import java.util.*;

/** Money of a customer. */
@Entity(name = "account")
public final class Account implements Comparable<Account> {
    private long cents;
    private final String owner;

    /** Opens an account. */
    public Account(String owner) {
        this.owner = owner;
    }

    @Override
    public int compareTo(Account other) {
        return Long.compare(cents, other.cents);
    }

    // Takes money out.
    public <T extends Exception> void withdraw(long amount, Map<String, List<T>> problems)
            throws T
    {
        if (amount > cents) {
            String text = """
                not enough { money
                """;
            throw problems.get(text).get(0);
        }
        cents -= amount;
    }

    enum Kind { SAVINGS, CURRENT }

    static class Builder {
        Account build(String owner) { return new Account(owner); }
    }
}
