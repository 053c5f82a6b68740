// Requests as sent by a form that is filled in from `/openapi.json` without changes, by the rules of OpenAPI 3.1
// for `style`, `explode` and `content`.

interface Media {
  readonly schema?: Schema
  readonly example?: unknown
}

interface Schema {
  readonly $ref?: string
  readonly example?: unknown
  readonly default?: unknown
}

interface Parameter {
  readonly $ref?: string
  readonly in: string
  readonly name: string
  readonly schema?: Schema
  readonly content?: Readonly<Record<string, Media>>
  readonly style?: string
  readonly explode?: boolean
  readonly example?: unknown
}

interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly schemas: Readonly<Record<string, Schema>>
  }
}

export interface FilledRequest {
  readonly method: string
  /** The path pattern, such as `/files/{file_id}`. */
  readonly pattern: string
  /** The path with its query string. */
  readonly path: string
  readonly contentType: string | undefined
  readonly body: string | undefined
}

/** One request for each operation. Parameters without example and default are omitted. */
export function filledRequests(json: unknown): readonly FilledRequest[] {
  const document = json as ApiDocument
  return Object.entries(document.paths).flatMap(([pattern, operations]) =>
    Object.entries(operations).map(([method, operation]) =>
      filledRequest(document, { method: method.toUpperCase(), pattern, operation }),
    ),
  )
}

interface Described {
  readonly method: string
  readonly pattern: string
  readonly operation: Operation
}

function filledRequest(
  document: ApiDocument,
  { method, pattern, operation }: Described,
): FilledRequest {
  const query = new URLSearchParams()
  let path = pattern
  for (const described of operation.parameters ?? []) {
    const parameter = resolved(document.components.parameters, described)
    const value = filled(document, parameter)
    if (value === undefined) continue
    if (parameter.in === 'path') {
      path = path.replace(`{${parameter.name}}`, encodeURIComponent(String(value)))
    } else {
      for (const [name, text] of queryOf(parameter, value)) query.append(name, text)
    }
  }
  const [first] = Object.entries(operation.requestBody?.content ?? {})
  const example =
    first?.[1].example ?? resolved(document.components.schemas, first?.[1].schema ?? {}).example
  const hasBody = first !== undefined && example !== undefined
  return {
    method,
    pattern,
    path: query.size === 0 ? path : `${path}?${query}`,
    contentType: hasBody ? first[0] : undefined,
    body: hasBody ? (typeof example === 'string' ? example : JSON.stringify(example)) : undefined,
  }
}

function resolved<T extends { readonly $ref?: string }>(
  components: Readonly<Record<string, T>>,
  one: T,
): T {
  return components[one.$ref?.split('/').at(-1) ?? ''] ?? one
}

function filled(document: ApiDocument, parameter: Parameter): unknown {
  const [media] = Object.values(parameter.content ?? {})
  const schema = resolved(document.components.schemas, parameter.schema ?? media?.schema ?? {})
  return parameter.example ?? media?.example ?? schema.example ?? schema.default
}

function queryOf(
  { name, content, style = 'form', explode = true }: Parameter,
  value: unknown,
): readonly (readonly [string, string])[] {
  if (style !== 'form' || !explode) throw new Error(`${name} has a style that no form here knows`)
  if (content) return [[name, JSON.stringify(value)]]
  // A form splits the text of an object like an object.
  const members = typeof value === 'string' && /^\s*[{[]/.test(value) ? JSON.parse(value) : value
  if (Array.isArray(members)) return members.map((one) => [name, String(one)])
  if (typeof members !== 'object' || members === null) return [[name, String(members)]]
  return Object.entries(members).map(([key, member]) => [key, String(member)])
}
