/** Returns a function that puts the members of an object into a fixed order and drops undefined ones. */
export function orderOf<T extends object>(names: readonly (keyof T)[]) {
  return (members: { readonly [Name in keyof T]: T[Name] | undefined }): T => {
    const all = names.map((name) => [name, members[name]] as const)
    return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as T
  }
}
