/** Returns the message of a thrown value, which may be of any type. */
export const errorText = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause)
