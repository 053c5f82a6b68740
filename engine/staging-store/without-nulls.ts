/** Members that are null are not sent back (registry.md 1.4). */
export function withoutNulls<Value>(
  map: Readonly<Record<string, Value | null>>,
): Readonly<Record<string, Value>> {
  const entries = Object.entries(map)
  const given = entries.filter((entry): entry is [string, Value] => entry[1] !== null)
  if (given.length === entries.length) return map as Readonly<Record<string, Value>>
  return Object.fromEntries(given)
}
