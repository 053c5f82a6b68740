import type { OpenAPIHono } from '@hono/zod-openapi'
import type { AppEnv } from './exchange.ts'

/** Example values, keyed by the name of a parameter or body member. */
export type Values = Readonly<Record<string, unknown>>

export interface Examples {
  /** Values keyed by path prefix. The longest prefix with a name counts. */
  readonly values: Readonly<Record<string, Values>>
  /** Example bodies that have no parameters, keyed by operation, such as `POST /rest/mph`. */
  readonly bodies: Readonly<Record<string, unknown>>
}

export type ApiDocument = ReturnType<OpenAPIHono<AppEnv>['getOpenAPI31Document']>

type Path = NonNullable<ApiDocument['paths']>[string]
type Operation = NonNullable<Path['get']>
type Described = NonNullable<Operation['parameters']>[number]
type Parameter = Exclude<Described, { $ref: string }>
type Schema = NonNullable<Parameter['schema']>
type Body = Exclude<NonNullable<Operation['requestBody']>, { $ref: string }>

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/**
 * Adapts the document for HTML forms. Adds example values, and describes parameters with JSON text as JSON: from
 * the schema alone, a form would show each member of the object.
 */
export function forForms(document: ApiDocument, examples: Examples): ApiDocument {
  const named = document.components?.parameters ?? {}
  const parameters = mapped(named, (one) => asJson(document, one as Parameter))
  const whole = { ...document, components: { ...document.components, parameters } }
  const paths = Object.entries(document.paths ?? {}).map(([path, item]) => {
    const values = valuesAt(path, examples.values)
    const operations = METHODS.flatMap((method) => {
      const operation = item[method]
      if (operation === undefined) return []
      const body = examples.bodies[`${method.toUpperCase()} ${path}`]
      return [[method, withExamples(whole, operation, { values, body })] as const]
    })
    return [path, { ...item, ...Object.fromEntries(operations) }] as const
  })
  return { ...whole, paths: Object.fromEntries(paths) }
}

function valuesAt(path: string, rows: Examples['values']): Values {
  const above = Object.keys(rows).filter((row) => path === row || path.startsWith(`${row}/`))
  const nearest = above.toSorted((a, b) => a.length - b.length)
  return Object.assign({}, ...nearest.map((row) => rows[row]))
}

function withExamples(
  document: ApiDocument,
  operation: Operation,
  { values, body }: { readonly values: Values; readonly body: unknown },
): Operation {
  const { parameters, requestBody } = operation
  return {
    ...operation,
    ...(parameters && { parameters: parameters.map((one) => parameterOf(document, one, values)) }),
    ...(requestBody && { requestBody: bodyOf(document, requestBody as Body, { values, body }) }),
  }
}

/** Returns a parameter with its example. It replaces the reference to the parameter, which cannot have an example. */
function parameterOf(document: ApiDocument, described: Described, values: Values): Described {
  const found = '$ref' in described ? named(document, 'parameters', described.$ref) : described
  const parameter = asJson(document, found as Parameter)
  const example = values[parameter.name]
  if (example === undefined) return '$ref' in described ? described : parameter
  if (parameter.content === undefined) return { ...parameter, example }
  return { ...parameter, content: mapped(parameter.content, (type) => ({ ...type, example })) }
}

/** Describes JSON text in a query string by the schema of its content. */
function asJson(document: ApiDocument, parameter: Parameter): Parameter {
  const { schema, ...rest } = parameter
  if (schema === undefined) return parameter
  const forms = resolved(document, schema).anyOf ?? []
  const inside = forms.filter((form) => !isJsonText(form))
  if (inside.length === forms.length) return parameter
  const [only] = inside
  const value = inside.length === 1 && only ? only : { anyOf: inside }
  return { ...rest, content: { 'application/json': { schema: value } } }
}

const isJsonText = (schema: Schema) =>
  'contentMediaType' in schema && schema.contentMediaType === 'application/json'

function bodyOf(
  document: ApiDocument,
  body: Body,
  { values, body: given }: { readonly values: Values; readonly body: unknown },
): Body {
  const [first] = Object.keys(body.content)
  const content = Object.entries(body.content).map(([type, media]) => {
    const members = media.schema ? resolved(document, media.schema).properties : undefined
    const known = Object.entries(values).filter(([name]) => Object.hasOwn(members ?? {}, name))
    const ofMembers = known.length > 0 ? Object.fromEntries(known) : undefined
    // The given example has the first content type, which a form offers by default.
    const example = given === undefined ? ofMembers : type === first ? given : undefined
    const isForm = type === 'application/x-www-form-urlencoded'
    return [type, example === undefined || isForm ? media : { ...media, example }] as const
  })
  return { ...body, content: Object.fromEntries(content) }
}

function resolved(document: ApiDocument, schema: Schema): Exclude<Schema, { $ref: string }> {
  const found = '$ref' in schema ? named(document, 'schemas', schema.$ref ?? '') : schema
  return found as Exclude<Schema, { $ref: string }>
}

function named(document: ApiDocument, kind: 'schemas' | 'parameters', reference: string): unknown {
  return document.components?.[kind]?.[reference.split('/').at(-1) ?? '']
}

function mapped<Value, Made>(
  values: Readonly<Record<string, Value>>,
  make: (value: Value) => Made,
): Record<string, Made> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value)]))
}
