/** Default number of files processed at a time. */
const AT_ONCE = 16

/**
 * Runs `work` for all items, a limited number at a time. After a failure, waits until the running calls settle,
 * then throws.
 * @throws the first error of `work`
 */
export async function eachOf<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  { atOnce = AT_ONCE }: { readonly atOnce?: number } = {},
): Promise<void> {
  const rest = items[Symbol.iterator]()
  const worker = async () => {
    for (const item of rest) await work(item)
  }
  const workers = Array.from({ length: Math.min(atOnce, items.length) }, worker)
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
