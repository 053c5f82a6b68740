import type { Role } from '../../../shared/access/roles.ts'
import {
  type Area,
  type IndexedContent,
  OUTPUT_TYPES,
  type OutputType,
  type RecordContent,
  type RecordDefinition,
} from '../definition.ts'
import { type Member, type Members, shapeOfMembers } from './members.ts'
import { objectReader } from './read-shape.ts'
import type { ObjectShape, Shape } from './shape.ts'

interface Records<Content> {
  readonly area: Area
  readonly editor: Role
  /** The name in the API contract (registry.md 3). */
  readonly name: string
  readonly members: Members
  /**
   * Checks that members are consistent with each other.
   * @throws EngineError `bad_input` if they are not
   */
  readonly check?: (content: Content) => void
}

/** A record definition derived from its members, with their shape for the API document. */
export interface MemberDefinition<Content extends RecordContent> extends RecordDefinition<Content> {
  readonly shape: ObjectShape
  /**
   * Reads a partial body, in which every member is optional.
   * @throws EngineError `bad_input`, naming the member
   */
  readonly parsePart: (body: unknown) => Partial<Content>
}

/** The part of a definition that is needed to describe and query an area. */
export type PublishingDefinition = Pick<
  MemberDefinition<RecordContent>,
  'area' | 'editor' | 'filters' | 'orders' | 'shape'
>

type Values = Readonly<Record<string, unknown>>

/** Derives the definition of an area from its members. */
export function defineRecords<Content extends RecordContent>(
  records: Records<Content>,
): MemberDefinition<Content> {
  const { area, editor, name, members, check } = records
  const entries = Object.entries(members)
  const shape = shapeOfMembers(name, members)
  const read = objectReader(shape)
  const readPart = objectReader({ ...shape, needed: [] })
  const given = (content: Content) => givenMembers(entries, content)
  return Object.freeze({
    area,
    editor,
    shape,
    filters: Object.fromEntries(
      entries.flatMap(([name, { filters, shape }]) => (filters ? [[name, wordsOf(shape)]] : [])),
    ),
    orders: entries.flatMap(([name, { orders }]) => (orders ? [name] : [])),
    parse(body: unknown) {
      const content = withoutEmptyLists(read(unaliased(entries, body), '')) as unknown as Content
      check?.(content)
      return content
    },
    parsePart: (body: unknown) =>
      withoutEmptyLists(readPart(unaliased(entries, body), '')) as Partial<Content>,
    indexed: (content: Content) => indexed(given(content)),
    project(content: Content, output: OutputType) {
      const most = OUTPUT_TYPES.indexOf(output)
      const shown = given(content).filter(([, , { shown }]) => OUTPUT_TYPES.indexOf(shown) <= most)
      return Object.fromEntries(shown) as Partial<Content>
    },
    glossaryTexts: (content: Content) =>
      given(content).flatMap(([, value, { explained }]) => (explained ? textsIn(value) : [])),
  })
}

/** Renames aliased members of a body to their own names. */
function unaliased(entries: readonly (readonly [string, Member])[], body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const values = body as Values
  const renamed = entries.flatMap(([name, { alias }]) =>
    alias !== undefined && Object.hasOwn(values, alias) && !Object.hasOwn(values, name)
      ? [[name, values[alias]]]
      : [],
  )
  return renamed.length === 0 ? body : { ...values, ...Object.fromEntries(renamed) }
}

type Given = readonly [name: string, value: unknown, member: Member]

function givenMembers(entries: readonly (readonly [string, Member])[], content: object): Given[] {
  const values = content as Values
  return entries.flatMap(([name, member]): Given[] => {
    const value = values[name]
    return value === undefined ? [] : [[name, value, member]]
  })
}

function indexed(given: readonly Given[]): IndexedContent {
  const filters: Record<string, readonly string[]> = {}
  const orders: Record<string, string> = {}
  for (const [name, value, member] of given) {
    if (member.filters) filters[name] = textsIn(value)
    if (member.orders) orders[name] = String(value)
  }
  const texts = given.flatMap(([, value, { weight }]) =>
    weight === undefined ? [] : textsIn(value).map((text) => ({ text, weight })),
  )
  return { texts, filters, orders }
}

/** Returns the accepted words of a filter, or undefined if the filter accepts any word. */
function wordsOf(shape: Shape): readonly string[] | undefined {
  if (shape.is === 'list') return wordsOf(shape.of)
  return shape.is === 'word' ? shape.words : undefined
}

/** Responses leave out empty values (registry.md 1.4), so they are not stored either. */
function withoutEmptyLists(values: Values): Values {
  const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0
  const filled = Object.entries(values).filter(([, value]) => !isEmpty(value))
  return Object.freeze(Object.fromEntries(filled))
}

/** Returns the texts in a value. For values limited to years or days, only `value` is used. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null) return []
  return 'value' in value ? textsIn(value.value) : Object.values(value).flatMap(textsIn)
}
