import { EngineError } from '../errors.ts'
import { isObject } from '../input/unknowns.ts'

interface Kinds<Buffer extends ArrayBufferLike> {
  readonly Uint8Array: Uint8Array<Buffer>
  readonly Uint16Array: Uint16Array<Buffer>
  readonly Uint32Array: Uint32Array<Buffer>
  readonly Int32Array: Int32Array<Buffer>
  readonly Float64Array: Float64Array<Buffer>
}

export const KINDS = {
  Uint8Array,
  Uint16Array,
  Uint32Array,
  Int32Array,
  Float64Array,
} as const satisfies { readonly [Kind in keyof Kinds<ArrayBuffer>]: unknown }

/** Kind of an array's elements, named after the array's constructor. */
export type ElementKind = keyof Kinds<ArrayBufferLike>

export type NumberArray = Kinds<ArrayBufferLike>[ElementKind]

/** Array names, each with its accepted kinds. `absent` marks an array that may be missing. */
export type ArraySchema = Readonly<Record<string, readonly (ElementKind | 'absent')[]>>

/** Names of the arrays that may be missing. */
export type Optional<
  Schema extends ArraySchema,
  Name extends keyof Schema,
> = 'absent' extends Schema[Name][number] ? Name : never

type OneOf<
  Kind extends ElementKind | 'absent',
  Buffer extends ArrayBufferLike,
> = Kinds<Buffer>[Exclude<Kind, 'absent'>]

/** Typed arrays of a file with this schema. */
export type ArraysOf<
  Schema extends ArraySchema,
  Buffer extends ArrayBufferLike = ArrayBufferLike,
> = {
  readonly [Name in keyof Schema as Exclude<Name, Optional<Schema, Name>>]: OneOf<
    Schema[Name][number],
    Buffer
  >
} & {
  readonly [Name in keyof Schema as Optional<Schema, Name>]?: OneOf<Schema[Name][number], Buffer>
}

/**
 * Returns the arrays that the schema names.
 * @throws EngineError `corrupt_source` if one is missing or of another kind
 */
export function ofSchema<Schema extends ArraySchema>(
  arrays: Readonly<Record<string, NumberArray>>,
  schema: Schema,
): ArraysOf<Schema> {
  // All names and kinds are checked.
  return chosenBy(schema, arrays, (array) => array.constructor.name) as ArraysOf<Schema>
}

/**
 * Returns the arrays that the schema names.
 * @throws EngineError `corrupt_source` if one is missing or of another kind
 */
export function chosenBy<One>(
  schema: ArraySchema,
  arrays: Readonly<Record<string, One>>,
  kindOf: (one: One) => string,
): Record<string, One> {
  const found: Record<string, One> = {}
  for (const [name, kinds] of Object.entries(schema)) {
    const array = arrays[name]
    if (!array && kinds.includes('absent')) continue
    if (!array) throw damagedArrays(`it has no array "${name}"`)
    const kind = kindOf(array) as ElementKind
    if (!kinds.includes(kind)) {
      const wanted = kinds.filter((one) => one !== 'absent').join(' or ')
      throw damagedArrays(`its array "${name}" is of kind ${kind}, not ${wanted}`)
    }
    found[name] = array
  }
  return found
}

/** Fact names, each with the type of its value or the schema of its members. */
export interface FactSchema {
  readonly [name: string]: 'number' | 'string' | 'boolean' | FactSchema
}

interface FactTypes {
  readonly number: number
  readonly string: string
  readonly boolean: boolean
}

export type FactsOf<Schema extends FactSchema> = {
  readonly [Name in keyof Schema]: Schema[Name] extends keyof FactTypes
    ? FactTypes[Schema[Name]]
    : Schema[Name] extends FactSchema
      ? FactsOf<Schema[Name]>
      : never
}

/**
 * Returns the facts of a file that the schema names.
 * @throws EngineError `corrupt_source` if one is missing or of another type
 */
export function typedFacts<Schema extends FactSchema>(
  facts: Readonly<Record<string, unknown>>,
  schema: Schema,
): FactsOf<Schema> {
  requireFacts(facts, schema, '')
  return facts as FactsOf<Schema>
}

function requireFacts(facts: unknown, schema: FactSchema, above: string): void {
  for (const [name, type] of Object.entries(schema)) {
    const value = isObject(facts) ? facts[name] : undefined
    const path = `${above}${name}`
    if (typeof type === 'object') requireFacts(value, type, `${path}.`)
    else if (typeof value !== type) throw damagedArrays(`its fact "${path}" is no ${type}`)
  }
}

/**
 * Creates the error for a damaged array file.
 * @param why clause such as `it has no array "codes"`
 */
export const damagedArrays = (why: string) =>
  new EngineError('corrupt_source', `array file is damaged: ${why}; build it again`)
