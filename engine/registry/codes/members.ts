/** Puts members into one order, whoever wrote them, and leaves out those that have no value. */
export function orderOf<T extends object>(names: readonly (keyof T)[]) {
  return (members: { readonly [Name in keyof T]: T[Name] | undefined }): T => {
    const all = names.map((name) => [name, members[name]] as const)
    return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as T
  }
}
