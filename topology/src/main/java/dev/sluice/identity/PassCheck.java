package dev.sluice.identity;

/** What checking an admission pass showed. */
public sealed interface PassCheck {
  /**
   * The pass is good.
   *
   * @param expiresAt milliseconds since the epoch
   */
  record Valid(String requestId, String roomId, long ticket, long expiresAt) implements PassCheck {}

  /** The pass is refused. */
  record Refused(Refusal refusal) implements PassCheck {}

  /** Why a pass is refused, from the first thing wrong with it to the last. */
  enum Refusal {
    GARBAGE("This is no admission pass."),
    WRONG_SIGNATURE("The signature of the admission pass is wrong."),
    OTHER_ROOM("The admission pass is for another room."),
    EXPIRED("The admission pass has expired.");

    private final String detail;

    Refusal(String detail) {
      this.detail = detail;
    }

    /** A sentence for a person to read. */
    public String detail() {
      return detail;
    }
  }
}
