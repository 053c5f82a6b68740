/**
 * Groups values into pages, in order. All pages except the last are full. Yields nothing if there are no values.
 * @param size values per page, at least 1
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
