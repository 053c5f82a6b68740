/** Removes null members, which are not returned (registry.md 1.4). */
export function withoutNulls<Value>(
  map: Readonly<Record<string, Value | null>>,
): Readonly<Record<string, Value>> {
  if (!hasNull(map)) return map as Readonly<Record<string, Value>>
  const given = Object.entries(map).filter((entry): entry is [string, Value] => entry[1] !== null)
  return Object.fromEntries(given)
}

/** Returns whether a map contains a null. Called for every line of a batch, and few maps do. */
function hasNull(map: Readonly<Record<string, unknown>>): boolean {
  for (const key in map) if (map[key] === null) return true
  return false
}
