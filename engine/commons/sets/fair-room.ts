/** A client keeps at most one part in so many of the space that the others leave. */
const PARTS = 8

/**
 * Returns how many bytes a client may keep of a space that strangers share. The nearer the space is to its end, the
 * less each may take, so that a few who fill it leave room for others, and nothing that is kept has to go.
 * @param limits bytes of one client, and of all
 * @param others bytes that the others keep
 */
export function fairBytes(
  { clientBytes, bytes }: { readonly clientBytes: number; readonly bytes: number },
  others: number,
): number {
  return Math.min(clientBytes, Math.max(0, Math.floor((bytes - others) / PARTS)))
}
