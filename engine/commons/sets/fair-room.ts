/** A client may use at most this fraction (1 / PARTS) of the space that other clients leave. */
const PARTS = 8

/**
 * Returns how many bytes a client may use of a space that it shares with strangers. The fuller the space is, the
 * less each client may take. A few clients who fill it therefore leave space for others, and nothing has to be
 * removed.
 * @param limits bytes of one client, and of all
 * @param others bytes that the other clients use
 */
export function fairBytes(
  { clientBytes, bytes }: { readonly clientBytes: number; readonly bytes: number },
  others: number,
): number {
  return Math.min(clientBytes, Math.max(0, Math.floor((bytes - others) / PARTS)))
}
