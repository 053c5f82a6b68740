import type { CompiledVersion } from './compiled-version.ts'
import type { SchemaInput, SchemaOutput } from './model.ts'
import type { ItemName, ItemNames, StagingData } from './result.ts'

/** What an input or output is called outside of the algorithm. */
export const nameOf = ({
  naaccr_item,
  naaccr_xml_id,
  name,
}: SchemaInput | SchemaOutput): ItemName => ({
  ...(naaccr_item !== undefined && { naaccr_item }),
  ...(naaccr_xml_id !== undefined && { naaccr_xml_id }),
  ...(name !== undefined && { name }),
})

/** Names of the inputs and outputs that a staged case has; undefined for one without a schema. */
export function itemNames(
  { content }: CompiledVersion,
  { schema_id, input, output }: StagingData,
): ItemNames | undefined {
  const schema = schema_id === undefined ? undefined : content.schemas.get(schema_id)
  if (!schema) return undefined
  return {
    input: namesOf(schema.inputs, input),
    output: namesOf(schema.outputs ?? [], output),
  }
}

function namesOf(
  items: readonly (SchemaInput | SchemaOutput)[],
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, ItemName>> {
  const named = items.flatMap((item) => {
    const name = nameOf(item)
    return Object.hasOwn(values, item.key) && Object.keys(name).length > 0
      ? [[item.key, name] as const]
      : []
  })
  return Object.fromEntries(named)
}
