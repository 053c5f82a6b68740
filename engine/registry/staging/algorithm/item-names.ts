import type { CompiledVersion } from './compiled-version.ts'
import type { SchemaInput, SchemaOutput } from './model.ts'
import type { ItemName, ItemNames, StagingData } from './result.ts'

/** Returns the names of an input or output outside the algorithm. */
export const nameOf = ({
  naaccr_item,
  naaccr_xml_id,
  name,
}: SchemaInput | SchemaOutput): ItemName => ({
  ...(naaccr_item !== undefined && { naaccr_item }),
  ...(naaccr_xml_id !== undefined && { naaccr_xml_id }),
  ...(name !== undefined && { name }),
})

/** Returns the names of a staged case's inputs and outputs, or undefined if it has no schema. */
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
