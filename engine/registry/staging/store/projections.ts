export interface TableProjection {
  readonly id: string
  readonly name?: string
  readonly title?: string
}

export interface SchemaProjection extends TableProjection {
  readonly schema_num?: number
}

interface Listed {
  readonly id: string
  readonly name?: string | null | undefined
  readonly title?: string | null | undefined
  readonly schema_num?: number | null | undefined
}

/** Reduces a schema or table to the members that a list contains. Members that are null are left out. */
export function projectionOf({ id, name, title, schema_num }: Listed): SchemaProjection {
  return {
    id,
    ...(typeof name === 'string' && { name }),
    ...(typeof title === 'string' && { title }),
    ...(typeof schema_num === 'number' && { schema_num }),
  }
}

/** Returns the entries with a text in id, name or title, ignoring case (registry.md 2.1). Without a text, all. */
export function withText<T extends Listed>(listed: readonly T[], q: string | undefined): T[] {
  const wanted = q?.toLowerCase() ?? ''
  return listed.filter(({ id, name, title }) =>
    [id, name, title].some((text) => text?.toLowerCase().includes(wanted)),
  )
}
