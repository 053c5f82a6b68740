/** Files looked at, read or written at the same time. */
const AT_ONCE = 16

/** Some at a time. The first failure ends it, once nothing is under way any more. */
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
