/** Texts that are sorted at once, which takes a millisecond. */
const RUN_LENGTH = 2048

/** Sorts texts by their UTF-16 units and removes duplicates, in steps. 50,000 texts take 30 ms. */
export function* sortedDistinct(texts: Iterable<string>): Generator<void, readonly string[]> {
  const distinct = new Set<string>()
  for (const text of texts) {
    yield
    distinct.add(text)
  }
  let runs: (readonly string[])[] = []
  let run: string[] = []
  for (const text of distinct) {
    if (run.push(text) < RUN_LENGTH) continue
    runs.push(run.sort())
    run = []
    yield
  }
  runs.push(run.sort())
  while (runs.length > 1) {
    const merged: (readonly string[])[] = []
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(yield* merge(runs[i] ?? [], runs[i + 1] ?? []))
    }
    runs = merged
  }
  return runs[0] ?? []
}

function* merge(one: readonly string[], other: readonly string[]): Generator<void, string[]> {
  const merged: string[] = []
  let [i, j] = [0, 0]
  while (i < one.length || j < other.length) {
    const [first, second] = [one[i], other[j]]
    const isFirst = second === undefined || (first !== undefined && first < second)
    merged.push((isFirst ? first : second) ?? '')
    if (isFirst) i++
    else j++
    if (merged.length % RUN_LENGTH === 0) yield
  }
  return merged
}
