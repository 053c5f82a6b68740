import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

// A reader of Delta's log, written from the protocol (delta-io/delta, PROTOCOL.md) and sharing no code with the
// writer: it requires whatever the protocol requires, and rejects everything else.

const values = z.record(z.string(), z.string())
const Action = z.union([
  z.strictObject({
    protocol: z.strictObject({ minReaderVersion: z.literal(1), minWriterVersion: z.literal(2) }),
  }),
  z.strictObject({
    metaData: z.strictObject({
      id: z.uuid(),
      format: z.strictObject({ provider: z.literal('parquet'), options: z.strictObject({}) }),
      schemaString: z.string(),
      partitionColumns: z.array(z.string()),
      configuration: values,
      createdTime: z.int(),
    }),
  }),
  z.strictObject({
    add: z.strictObject({
      path: z.string(),
      partitionValues: values,
      size: z.int(),
      modificationTime: z.int(),
      dataChange: z.literal(true),
      stats: z.string(),
    }),
  }),
  z.strictObject({
    remove: z.strictObject({
      path: z.string(),
      deletionTimestamp: z.int(),
      dataChange: z.literal(true),
      extendedFileMetadata: z.literal(true),
      partitionValues: values,
      size: z.int(),
    }),
  }),
  z.strictObject({ commitInfo: z.looseObject({ timestamp: z.int(), operation: z.string() }) }),
])

type DeltaType = string | DeltaArray | DeltaStruct
interface DeltaArray {
  readonly type: 'array'
  readonly elementType: DeltaType
  readonly containsNull: true
}
interface DeltaStruct {
  readonly type: 'struct'
  readonly fields: readonly DeltaField[]
}
interface DeltaField {
  readonly name: string
  readonly type: DeltaType
  readonly nullable: true
  readonly metadata: object
}
const Type: z.ZodType<DeltaType> = z.lazy(() =>
  z.union([
    z.enum(['string', 'long', 'double', 'boolean']),
    z.strictObject({
      type: z.literal('array'),
      elementType: Type,
      containsNull: z.literal(true),
    }),
    Struct,
  ]),
)
const Struct: z.ZodType<DeltaStruct> = z.lazy(() =>
  z.strictObject({
    type: z.literal('struct'),
    fields: z.array(
      z.strictObject({
        // Parquet permits no such characters in names without a column mapping.
        name: z.string().regex(/^[^ ,;{}()\n\t=]+$/),
        type: Type,
        nullable: z.literal(true),
        metadata: z.strictObject({}),
      }),
    ),
  }),
)

interface DeltaFile {
  readonly path: string
  readonly partitionValues: Readonly<Record<string, string>>
  readonly records: number
}

export interface DeltaTable {
  readonly version: number
  readonly id: string
  readonly schema: DeltaStruct
  readonly partitionColumns: readonly string[]
  readonly files: readonly DeltaFile[]
}

/** Reads the table at its latest or given version, and checks its files. */
export async function readDelta(folder: string, version?: number): Promise<DeltaTable> {
  const log = join(folder, '_delta_log')
  const names = (await readdir(log)).sort()
  const last = version ?? names.length - 1
  const files = new Map<string, DeltaFile>()
  let metaData: { id: string; schemaString: string; partitionColumns: string[] } | undefined
  let hasProtocol = false
  for (let at = 0; at <= last; at++) {
    if (names[at] !== `${String(at).padStart(20, '0')}.json`) throw new Error(`no version ${at}`)
    const text = await readFile(join(log, names[at] ?? ''), 'utf8')
    const actions = text
      .trimEnd()
      .split('\n')
      .map((line) => Action.parse(JSON.parse(line)))
    // The order of actions has no meaning, so no path occurs twice.
    const paths = actions.flatMap((action) => {
      if ('add' in action) return [action.add.path]
      return 'remove' in action ? [action.remove.path] : []
    })
    if (new Set(paths).size !== paths.length) throw new Error(`version ${at} has a path twice`)
    for (const action of actions) {
      if ('protocol' in action) hasProtocol = true
      if ('metaData' in action) metaData = action.metaData
      if ('remove' in action && !files.delete(action.remove.path)) {
        throw new Error(`version ${at} removes what is not there`)
      }
      if ('add' in action) {
        const { path: uri, partitionValues, size, stats } = action.add
        const path = join(folder, decodeURIComponent(uri))
        const { numRecords } = z.strictObject({ numRecords: z.int() }).parse(JSON.parse(stats))
        if ((await stat(path)).size !== size) throw new Error(`${path} has not ${size} bytes`)
        files.set(uri, { path, partitionValues, records: numRecords })
      }
    }
  }
  if (!metaData || !hasProtocol) throw new Error('the first version has no protocol or metadata')
  const { id, schemaString, partitionColumns } = metaData
  for (const { partitionValues } of files.values()) {
    if (Object.keys(partitionValues).sort().join() !== partitionColumns.toSorted().join()) {
      throw new Error('a file has not a value for each partition column')
    }
  }
  const schema = Struct.parse(JSON.parse(schemaString))
  mustBeUnique(schema)
  return { version: last, id, schema, partitionColumns, files: [...files.values()] }
}

/** Requires that names of columns differ by more than case, at every depth. */
function mustBeUnique({ fields }: DeltaStruct): void {
  const names = fields.map(({ name }) => name.toLowerCase())
  if (new Set(names).size !== names.length) throw new Error(`a name is there twice: ${names}`)
  for (const { type } of fields) {
    const struct = structIn(type)
    if (struct) mustBeUnique(struct)
  }
}

function structIn(type: DeltaType): DeltaStruct | undefined {
  if (typeof type === 'string') return undefined
  return type.type === 'struct' ? type : structIn(type.elementType)
}

/** Dotted paths of all values of a table's files. */
export function pathsOf({ fields }: DeltaStruct, prefix = ''): string[] {
  return fields.flatMap(({ name, type }) => {
    const struct = structIn(type)
    return struct ? pathsOf(struct, `${prefix}${name}.`) : [prefix + name]
  })
}
