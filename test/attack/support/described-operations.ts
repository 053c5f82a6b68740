/** A parameter as the API document describes it. */
interface DescribedParameter {
  readonly in: string
  readonly name: string
  readonly values: readonly string[]
}

/** An operation as the API document describes it. */
export interface DescribedOperation {
  readonly method: string
  /** The path template, such as `/files/{file_id}`. */
  readonly path: string
  readonly parameters: readonly DescribedParameter[]
  /** Content types of the body; empty if there is none. */
  readonly bodyTypes: readonly string[]
}

interface Schema {
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly example?: unknown
}

interface Parameter {
  readonly $ref?: string
  readonly in: string
  readonly name: string
  readonly schema?: Schema
  readonly content?: Readonly<Record<string, { readonly example?: unknown }>>
  readonly example?: unknown
}

interface Described {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components?: { readonly parameters?: Readonly<Record<string, Parameter>> }
}

/** Every operation of `/openapi.json`, so that new routes are included automatically. */
export function operationsOf(document: unknown): readonly DescribedOperation[] {
  const { paths, components = {} } = document as ApiDocument
  const resolved = (parameter: Parameter): Parameter =>
    components.parameters?.[parameter.$ref?.split('/').at(-1) ?? ''] ?? parameter
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      parameters: parameters.map((one) => describedParameter(resolved(one))),
      bodyTypes: Object.keys(requestBody?.content ?? {}),
    })),
  )
}

function describedParameter({
  in: place,
  name,
  schema,
  content = {},
  example,
}: Parameter): DescribedParameter {
  const inside = Object.values(content).map((media) => media.example)
  const values = [...(schema?.enum ?? []), schema?.default, schema?.example, example, ...inside]
  const texts = values.filter((value) => value !== undefined && value !== null)
  return {
    in: place,
    name,
    values: texts.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))),
  }
}
