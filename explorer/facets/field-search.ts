/**
 * Returns the fields whose names have all the words of a text. Fields whose last part is the text come first, then
 * those whose last part starts with it; of these, the least nested first.
 */
export function foundFields(fields: readonly string[], searched: string): readonly string[] {
  const text = searched.trim().toLowerCase()
  if (text === '') return []
  const words = text.split(/[\s_.]+/)
  const name = words.join('_')
  const rankOf = (field: string) => {
    const full = field.toLowerCase()
    if (full === text) return 0
    const last = full.slice(full.lastIndexOf('.') + 1)
    return last === name ? 1 : last.startsWith(name) ? 2 : 3
  }
  const depthOf = (field: string) => field.split('.').length
  return fields
    .filter((field) => words.every((word) => field.toLowerCase().includes(word)))
    .toSorted(
      (one, other) =>
        rankOf(one) - rankOf(other) || depthOf(one) - depthOf(other) || order(one, other),
    )
}

const order = (one: string, other: string) => (one < other ? -1 : Number(one > other))
