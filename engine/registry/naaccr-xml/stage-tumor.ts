import type { CompiledVersion } from '../staging/algorithm/compiled-version.ts'
import { lookupSchemas } from '../staging/algorithm/lookup.ts'
import type { SchemaInput, StagingSchema, VersionContent } from '../staging/algorithm/model.ts'
import type { InputMap, StagingData } from '../staging/algorithm/result.ts'
import { stage } from '../staging/algorithm/stage.ts'

/** Values keyed by item id. */
export type ItemValues = Readonly<Record<string, string>>

/** For each item that a file cannot contain, the item that the file has instead, or null. */
export type NamesInFile = Readonly<Record<string, string | null>>

/** Returns the items that a version reads for staging. */
export function stagedItems({ schemas }: Pick<VersionContent, 'schemas'>): ReadonlySet<string> {
  const items = [...schemas.values()].flatMap(({ inputs }) =>
    inputs.map((input) => input.naaccr_xml_id),
  )
  return new Set([SITE, HISTOLOGY, ...items.filter((item) => item !== undefined)])
}

/** The staging result of a tumor. `output` is keyed by NAACCR id, or by the algorithm's key if it has none. */
export interface StagedTumor extends Pick<StagingData, 'schema_id' | 'errors' | 'output'> {
  readonly result: StagingData['result'] | typeof NO_ALGORITHM
  /** The possible schemas, if there are several. */
  readonly schemas?: readonly string[]
  readonly discriminators?: readonly string[]
}

/** Result for a tumor to which no version applies. */
export const NO_ALGORITHM = 'NO_ALGORITHM'

const SITE = 'primarySite'
const HISTOLOGY = 'histologicTypeIcdO3'
/** Input that takes only the year of the date in its item. */
const YEAR = 'year_dx'

/**
 * Stages a tumor by its items. Site, histology and discriminators select the schema, which receives only its own
 * inputs. Items of the tumor take precedence over those of its patient. Items that would decide between schemas
 * are named as in the file, or by the algorithm's key if it has no item.
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

/** Returns the inputs that select a schema. A case can only be staged with both of them. */
const selectionOf = (items: ItemValues): InputMap => ({
  site: items[SITE] ?? null,
  hist: items[HISTOLOGY] ?? null,
})

/** Returns the possible schemas and the input that selected them. */
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

/** Returns the items that would decide between schemas. */
const discriminatorsOf = (version: CompiledVersion, ids: readonly string[], names: NamesInFile) => [
  ...new Set(
    discriminatorInputs(version, ids).map(({ key, naaccr_xml_id: item = key }) => {
      const name = names[item]
      return name === undefined ? item : (name ?? key)
    }),
  ),
]

/** Returns the values of the available items, keyed by input. */
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
  const named: Record<string, string> = {}
  for (const [key, value] of Object.entries(output)) named[items.get(key) ?? key] = value
  return named
}
