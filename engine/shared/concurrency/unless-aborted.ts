/**
 * Waits for a value until the signal aborts. The work itself continues, because others may wait for it.
 * @throws the signal's reason if it aborts first
 */
export async function unlessAborted<Value>(
  value: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  if (!signal) return value
  // Prevents an unhandled rejection if the caller stops waiting.
  value.catch(() => {})
  signal.throwIfAborted()
  const waiting = Promise.withResolvers<never>()
  const abort = () => waiting.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([value, waiting.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
