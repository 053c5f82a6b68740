import type { CompiledVersion } from '../staging/algorithm/compiled-version.ts'
import { lookupSchemas } from '../staging/algorithm/lookup.ts'
import type { SchemaInput, StagingSchema, VersionContent } from '../staging/algorithm/model.ts'
import type { InputMap, StagingData } from '../staging/algorithm/result.ts'
import { stage } from '../staging/algorithm/stage.ts'

/** Values of items by their ids. */
export type ItemValues = Readonly<Record<string, string>>

/** What a file calls items that it cannot have: another item, or nothing. */
export type NamesInFile = Readonly<Record<string, string | null>>

/** Items that staging by a version looks at. */
export function stagedItems({ schemas }: Pick<VersionContent, 'schemas'>): ReadonlySet<string> {
  const items = [...schemas.values()].flatMap(({ inputs }) =>
    inputs.map((input) => input.naaccr_xml_id),
  )
  return new Set([SITE, HISTOLOGY, ...items.filter((item) => item !== undefined)])
}

/** What staging says of a tumor; `output` by NAACCR ids, and by keys where the algorithm has none. */
export interface StagedTumor extends Pick<StagingData, 'schema_id' | 'errors' | 'output'> {
  readonly result: StagingData['result'] | typeof NO_ALGORITHM
  /** Where several schemas may be meant: those, and the items that would decide. */
  readonly schemas?: readonly string[]
  readonly discriminators?: readonly string[]
}

/** The result of a tumor that none of the versions is for. */
export const NO_ALGORITHM = 'NO_ALGORITHM'

const SITE = 'primarySite'
const HISTOLOGY = 'histologicTypeIcdO3'
/** The input that has of its item, a date, the year alone. */
const YEAR = 'year_dx'

/**
 * Stages a tumor by its items: the schema is the one that its site, histology and discriminators choose, and
 * is given the inputs that it has and no others. Items of the tumor come before those of its patient. What would
 * decide between schemas is named as the file does, or by the algorithm's own key where that has no item for it.
 */
export function stageTumor(
  version: CompiledVersion,
  items: ItemValues,
  names: NamesInFile = {},
): StagedTumor {
  const { schemas, selection } = choose(version, items)
  const [id] = schemas
  const schema = schemas.length === 1 ? version.content.schemas.get(id as string) : undefined
  const input = schema ? valuesOf(schema.inputs, items) : selection
  const { result, schema_id, errors, output } = stage(version, input)
  return {
    result,
    ...(schema_id !== undefined && { schema_id }),
    errors,
    output: schema ? renamed(schema, output) : output,
    ...(schemas.length > 1 && {
      schemas,
      discriminators: discriminatorsOf(version, schemas, names),
    }),
  }
}

/** No case without both is staged. */
const selectionOf = (items: ItemValues): InputMap => ({
  site: items[SITE] ?? null,
  hist: items[HISTOLOGY] ?? null,
})

/** Ids of the schemas that the items may mean, and the input by which they were found. */
function choose(version: CompiledVersion, items: ItemValues) {
  const selection = selectionOf(items)
  const candidates = lookupSchemas(version, selection)
  if (candidates.length < 2) return { schemas: candidates, selection }
  const discriminators = valuesOf(discriminatorInputs(version, candidates), items)
  const all = { ...selection, ...discriminators }
  return { schemas: lookupSchemas(version, all), selection: all }
}

function discriminatorInputs(version: CompiledVersion, ids: readonly string[]) {
  return ids.flatMap((id) => {
    const { inputs = [], schema_discriminators = [] } = version.content.schemas.get(id) ?? {}
    return inputs.filter(({ key }) => schema_discriminators.includes(key))
  })
}

/** Items that would decide between schemas. */
const discriminatorsOf = (version: CompiledVersion, ids: readonly string[], names: NamesInFile) => [
  ...new Set(
    discriminatorInputs(version, ids).map(({ key, naaccr_xml_id: item = key }) => {
      const name = names[item]
      return name === undefined ? item : (name ?? key)
    }),
  ),
]

/** Values of inputs by their keys, of the items that there are. */
function valuesOf(inputs: readonly SchemaInput[], items: ItemValues): Record<string, string> {
  const values: Record<string, string> = {}
  for (const { key, naaccr_xml_id: item } of inputs) {
    const value = item === undefined ? undefined : items[item]
    if (value !== undefined) values[key] = key === YEAR ? value.slice(0, 4) : value
  }
  return values
}

function renamed({ outputs = [] }: StagingSchema, output: StagingData['output']) {
  const items = new Map(outputs.map(({ key, naaccr_xml_id: item }) => [key, item ?? key]))
  return Object.fromEntries(
    Object.entries(output).map(([key, value]) => [items.get(key) ?? key, value]),
  )
}
