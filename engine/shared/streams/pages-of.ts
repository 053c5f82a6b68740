/**
 * Groups values into pages, in their order. All are full but the last one; there is none without a value.
 * @param size - values in a page, at least 1
 */
export async function* pagesOf<Value>(
  values: Iterable<Value> | AsyncIterable<Value>,
  size: number,
): AsyncGenerator<readonly Value[], void, undefined> {
  let page: Value[] = []
  for await (const value of values) {
    if (page.push(value) < size) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
