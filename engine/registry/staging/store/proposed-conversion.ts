import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import { type ByteStream, generatedStream } from '../../../shared/streams/byte-stream.ts'
import { MAX_MESSAGE, MAX_NAME } from '../../rules/rule-blocks.ts'
import { MAX_WORDS } from '../../rules/rule-words.ts'
import { type CellRange, parseCell } from '../algorithm/cell-ranges.ts'
import { codesOfTable, inputColumns } from '../algorithm/code-rows.ts'
import type {
  SchemaInput,
  StagingSchema,
  StagingTable,
  VersionContent,
} from '../algorithm/model.ts'
import { ValidCodes } from '../algorithm/valid-codes.ts'

// A proposal of conversion rules, derived from the differences between two versions of an algorithm: codes that
// became obsolete, items that moved, schemas that were removed or now match other tumors. A new code is proposed
// for an old one only if it has the same description.

/** Items that select a schema. A change of their codes is proposed as a change of the selection. */
const SITE = 'primarySite'
const HISTOLOGY = 'histologicTypeIcdO3'
/** Item with the NAACCR schema id. It identifies a schema if the algorithm sets it. */
const SCHEMA = 'schemaId'
/** Input that is only the year of the date in its item, so it has no codes to compare. */
const YEAR = 'year_dx'

/** Maximum number of codes of a range to expand. A larger range is represented by its bounds. */
const MAX_EXPANDED = 10_000

interface ProposedRule {
  readonly name: string
  readonly when: string
  readonly change: string
}

/** Proposes rules that convert registry files from one version to another, as the text of a rule file. */
export function proposedConversion(
  before: VersionContent,
  after: VersionContent,
  turns: LoopTurns,
): ByteStream {
  const rest = chunksOf(before, after, turns)
  return generatedStream({ rest }, { giveBack: () => {} })
}

async function* chunksOf(
  before: VersionContent,
  after: VersionContent,
  turns: LoopTurns,
): AsyncGenerator<Uint8Array, void, undefined> {
  const versions = `${before.algorithm} ${before.version} and ${after.version}`
  yield Buffer.from(`# Proposed from the differences between ${versions}. Check every rule: the official
# conversion may differ, and may have changes that the versions do not show.
`)
  let number = 0
  for (const rule of rulesOf(before, after)) {
    await turns.pause()
    if (words(rule.when) > MAX_WORDS) {
      yield Buffer.from(
        `\n# ${rule.name}: its condition is too long for a rule. Write it yourself.\n`,
      )
      continue
    }
    number++
    yield Buffer.from(`
convert P${String(number).padStart(4, '0')}
name: ${cut(rule.name, MAX_NAME)}
when: ${rule.when}
${rule.change}
`)
  }
  if (number === 0) {
    yield Buffer.from('\n# The versions show no obsolete code, moved item or changed schema.\n')
  }
}

/** Counts the words of a condition as RuleWords does. Conditions made here contain only these signs. */
const words = (condition: string) => condition.match(/[\w.'-]+|[(),=]/g)?.length ?? 0
const cut = (text: string, most: number) =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`

function* rulesOf(before: VersionContent, after: VersionContent): Generator<ProposedRule> {
  for (const schema of [...before.schemas.values()].toSorted(byId)) {
    const next = after.schemas.get(schema.id)
    const schemaCondition = conditionOf(schema, before)
    if (schemaCondition === undefined) continue
    if (!next) {
      const review = `The schema ${schema.id} is not in version ${after.version}. Stage the tumor again.`
      yield { name: `${schema.id} was removed`, when: schemaCondition, change: reviewing(review) }
      continue
    }
    for (const input of schema.inputs) {
      const now = next.inputs.find(({ key }) => key === input.key)
      if (now) yield* inputRules({ schema, input, now, schemaCondition }, before, after)
    }
    yield* selectionRules({ schema, next, schemaCondition }, before, after)
  }
}

const byId = (a: StagingSchema, b: StagingSchema) => (a.id < b.id ? -1 : 1)

interface SchemaPair {
  readonly schema: StagingSchema
  /** The schema in the new version. */
  readonly next: StagingSchema
  /** Condition that selects the tumors of the schema. */
  readonly schemaCondition: string
}

interface InputPair extends Omit<SchemaPair, 'next'> {
  readonly input: SchemaInput
  /** The input in the new version. */
  readonly now: SchemaInput
}

function* inputRules(
  { schema, input, now, schemaCondition }: InputPair,
  before: VersionContent,
  after: VersionContent,
): Generator<ProposedRule> {
  const { naaccr_xml_id: item, key } = input
  const newItem = now.naaccr_xml_id
  if (item === undefined || newItem === undefined || key === YEAR) return
  if (item === SITE || item === HISTOLOGY) return
  if (item !== newItem) {
    yield {
      name: `${item} of ${schema.id} moved to ${newItem}`,
      when: `${schemaCondition} and ${item} is given and ${newItem} is empty`,
      change: `set: ${newItem} = ${item}, ${item} = empty`,
    }
  }
  const [old, table] = [tableOf(input, before), tableOf(now, after)]
  if (!old || !table) return
  const { renamed, obsolete } = comparedCodes(old, table)
  if (renamed.length > 0) {
    const pairs = renamed.map(([from, to]) => `${from} -> ${to}`).join(', ')
    const codes = renamed.map(([from]) => from).join(', ')
    yield {
      name: `${newItem} of ${schema.id}: ${codes} became other codes`,
      when: schemaCondition,
      change: `recode: ${newItem} (${pairs})`,
    }
  }
  if (obsolete.length > 0) {
    const codes = obsolete.map(({ code }) => code).join(', ')
    const meanings = obsolete
      .map(({ code, description }) => `${code} ${description}`.trim())
      .join('; ')
    yield {
      name: `${newItem} of ${schema.id}: ${codes} no longer exist`,
      when: `${schemaCondition} and ${newItem} in (${codes})`,
      change: reviewing(
        `Version ${after.version} no longer has this code. Its meaning was: ${meanings}`,
      ),
    }
  }
}

const reviewing = (text: string) => `review: ${cut(text, MAX_MESSAGE)}`

const tableOf = ({ table }: SchemaInput, { tables }: VersionContent) =>
  table === undefined ? undefined : tables.get(table)

interface DescribedCode {
  readonly code: string
  readonly description: string
}

/** Matches codes that rules can contain. */
const CODE = /^[A-Z\d.]{1,20}$/

/** Compares the codes of two tables. A code was renamed if exactly one new code has its description. */
function comparedCodes(old: StagingTable, table: StagingTable) {
  const [had, valid] = [new ValidCodes(old), new ValidCodes(table)]
  const added = codesIn(table).filter(({ code }) => !had.has(code))
  const renamed: (readonly [string, string])[] = []
  const obsolete: DescribedCode[] = []
  for (const one of codesIn(old)) {
    if (valid.has(one.code) || !CODE.test(one.code)) continue
    const [same, ...others] = added.filter(
      ({ code, description }) =>
        CODE.test(code) && description !== '' && description === one.description,
    )
    if (same && others.length === 0) renamed.push([one.code, same.code])
    else obsolete.push(one)
  }
  return { renamed, obsolete }
}

/** Returns the single codes that a table lists for its first input, with their descriptions. */
function codesIn(table: StagingTable): readonly DescribedCode[] {
  const [[key] = []] = inputColumns(table)
  if (key === undefined) return []
  return codesOfTable(table, key).flatMap(({ code, label = '' }) => {
    const ranges = parseCell(code)
    const description = label.replace(/\s+/g, ' ').trim()
    return ranges === 'any'
      ? []
      : ranges.flatMap(expanded).map((one) => ({ code: one, description }))
  })
}

/** Returns the codes of a range. If its bounds are no whole numbers, or it is too long, only its bounds. */
function expanded({ low, high }: CellRange): readonly string[] {
  if (low === high) return [low]
  const count = Number(high) - Number(low) + 1
  const isWhole = /^\d+$/.test(low) && /^\d+$/.test(high)
  if (!isWhole || count > MAX_EXPANDED) return [low, high]
  return Array.from({ length: Math.max(0, count) }, (_, i) =>
    String(Number(low) + i).padStart(low.length, '0'),
  )
}

/** Proposes a review of the tumors that the schema no longer takes. */
function* selectionRules(
  { schema, next, schemaCondition }: SchemaPair,
  before: VersionContent,
  after: VersionContent,
): Generator<ProposedRule> {
  const oldSelection = selectionOf(schema, before)
  const newSelection = selectionOf(next, after)
  if (oldSelection === undefined || newSelection === undefined) return
  if (oldSelection === newSelection) return
  yield {
    name: `${schema.id} no longer takes all its sites and histologies`,
    when: `${schemaCondition} and not (${newSelection})`,
    change: reviewing(`Version ${after.version} has another schema for it. Stage the tumor again.`),
  }
}

/** Returns the condition that selects the tumors of a schema: its NAACCR schema id, or its sites and histologies. */
function conditionOf(schema: StagingSchema, content: VersionContent): string | undefined {
  const id = schema.outputs?.find(({ naaccr_xml_id: item }) => item === SCHEMA)?.default
  if (id !== undefined && CODE.test(id)) return `${SCHEMA} = '${id}'`
  const selection = selectionOf(schema, content)
  return selection === undefined ? undefined : `(${selection})`
}

/**
 * Returns the sites and histologies of a schema as a condition. Returns undefined if a row of its selection
 * table accepts everything, or has codes that rules cannot contain.
 */
function selectionOf(
  { schema_selection_table: id }: StagingSchema,
  { tables }: VersionContent,
): string | undefined {
  const table = tables.get(id)
  if (!table) return undefined
  const [site, histology] = ['site', 'hist'].map((key) =>
    table.definition.findIndex((column) => column.type === 'INPUT' && column.key === key),
  ) as [number, number]
  const rows = table.rows.map((cells) => {
    const tests = [testOf(SITE, cells[site]), testOf(HISTOLOGY, cells[histology])]
    return tests.includes(undefined) ? '' : tests.filter((test) => test !== '').join(' and ')
  })
  const distinct = [...new Set(rows)].sort()
  if (distinct.length === 0 || distinct.includes('')) return undefined
  return distinct.length === 1 ? distinct[0] : distinct.map((row) => `(${row})`).join(' or ')
}

/**
 * Returns the test of an item for the values that a cell accepts. The text is empty if it accepts all values.
 * Returns undefined if rules cannot contain one of its codes.
 */
function testOf(item: string, cell: string | null | undefined): string | undefined {
  const ranges = parseCell(cell)
  if (ranges === 'any') return ''
  if (!ranges.every(({ low, high }) => CODE.test(low) && CODE.test(high))) return undefined
  const codes = ranges.map(({ low, high }) => (low === high ? low : `${low}-${high}`))
  return `${item} in (${codes.join(', ')})`
}
