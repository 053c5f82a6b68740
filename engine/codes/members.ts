/** Members in one order, whoever wrote them, and without those that have no value. */
export function inOrder<T extends object>(
  names: readonly (keyof T)[],
  members: { readonly [Name in keyof T]: T[Name] | undefined },
): T {
  const all = names.map((name) => [name, members[name]] as const)
  return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as T
}
