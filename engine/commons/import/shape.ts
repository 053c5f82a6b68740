import { consentCode } from '../../shared/access/consent.ts'
import type { ColumnTally } from '../../shared/input/column-tally.ts'
import { withoutVersion } from '../../shared/input/gene-id.ts'
import { isObject, type Json, type JsonObject } from '../../shared/input/json-value.ts'
import { WRITTEN_NOTHING } from '../../shared/input/nothing.ts'
import type { Dataset, FieldTree, FieldType } from '../datasets/define.ts'
import { canonicalPath } from '../datasets/resolve.ts'
import { CHANGES, NAME_CHANGE, nameIn, twoDigits } from './cells.ts'
import { ColumnReader, EMPTY_WORDS, number } from './columns.ts'
import { settlePlace } from './json-place.ts'
import { hasWholeNumbers, type NumberRange, rangeOf } from './number-range.ts'
import { RowError } from './row-error.ts'
import { type Terms, termsOf } from './terms.ts'
import type { Measure } from './unit-doubts.ts'

/** The fields of a record, or of a group within it, as a tree of maps. */
export interface Shape {
  /** Path of the group, or '' for the record. */
  readonly path: string
  readonly members: ReadonlyMap<string, Member>
  /** Whether the group is a mutation, or a copy number of a gene or segment. */
  readonly hasPlace: boolean
}

interface Member {
  /** Canonical name of the field. */
  readonly name: string
  readonly type?: FieldType
  readonly shape?: Shape
  /** Whether the member is an array of objects to which conditions apply one by one (data-commons.md 1.3). */
  readonly isNested: boolean
  /** The possible numbers of a numeric field. */
  readonly range?: NumberRange
  /** Whether a numeric field has integers alone. */
  readonly isWhole?: boolean
  readonly terms?: Terms
  readonly form?: Form
}

/** The usual form of the texts of a field. */
interface Form {
  /** Returns the usual form of a text, or undefined if it is not understood. Such a text is kept. */
  readonly of: (text: string) => string | undefined
  /** Phrase in the report for texts that had another form. */
  readonly change: string
  /** Separator of several values in a text. Such a field is always a list. */
  readonly separator?: RegExp
}

const TERM_CHANGE = 'written as the data model has it'

/** Forms of texts that programs change, keyed by field or by the end of its path. */
const FORMS: Readonly<Record<string, Form>> = {
  consent: {
    of: consentCode,
    change: 'written as the id of the Data Use Ontology',
    separator: /[,;|]/,
  },
  gene_id: { of: withoutVersion, change: CHANGES.gene },
  submitter_id: { of: nameIn, change: NAME_CHANGE },
  sample_type_id: { of: twoDigits, change: CHANGES.code },
  oct_embedded: {
    of: (text) => (/^(true|false)$/i.test(text) ? text.toLowerCase() : text),
    change: 'written in lower case',
  },
  'tissue_source_site.code': { of: twoDigits, change: CHANGES.code },
}

const formOf = (path: string) =>
  FORMS[path.slice(path.lastIndexOf('.') + 1)] ?? FORMS[path.split('.').slice(-2).join('.')]

/** Returns the shape of a dataset's records as clients see them, including records of mounted datasets. */
export function shapeOf(dataset: Dataset): Shape {
  return groupShape(dataset, '', [dataset.fields, dataset.hidden])
}

function groupShape(dataset: Dataset, path: string, trees: readonly FieldTree[]): Shape {
  const members = new Map<string, Member>()
  for (const name of new Set(trees.flatMap((tree) => Object.keys(tree)))) {
    const full = path === '' ? name : `${path}.${name}`
    const nodes = trees.flatMap((tree) => (Object.hasOwn(tree, name) ? [tree[name]] : []))
    const groups = nodes.filter((node) => typeof node === 'object')
    const type = nodes.find((node) => typeof node === 'string')
    const form = formOf(full)
    const terms = type === 'keyword' ? termsOf(name) : undefined
    members.set(name, {
      name,
      isNested: dataset.nested.includes(full),
      ...(groups.length > 0 ? { shape: groupShape(dataset, full, groups) } : {}),
      ...(groups.length === 0 && type ? { type } : {}),
      ...(isNumeric(type) ? { range: rangeOf(name), isWhole: hasWholeNumbers(name, type) } : {}),
      ...(terms ? { terms } : {}),
      ...(form ? { form } : {}),
    })
  }
  return { path, members, hasPlace: members.has('chromosome') && members.has('start_position') }
}

/** Callbacks for findings while records are tidied. */
export interface Tidying {
  /** Called with the full path of an unknown member. */
  readonly noteUnknown: (path: string) => void
  readonly tallyOf: (path: string) => ColumnTally
  /** Called with each number in a field whose numbers are often in another unit. */
  readonly noteMeasure: (path: string, measure: Measure, value: number) => void
  /** Called with each number that is kept although it is probably wrong. */
  readonly noteDoubt: (reason: string, cell: string) => void
}

/**
 * Normalises a record in place: canonical names at every depth, arrays for nested groups, numbers in numeric
 * fields. Unknown members are kept and reported.
 * @throws RowError if a group is not an object or list of objects, a field is not a single value or list, or a
 * location is impossible
 */
export function tidyRecord(record: JsonObject, shape: Shape, tidying: Tidying): JsonObject {
  for (const key of Object.keys(record)) {
    const value = record[key]
    let member = shape.members.get(key)
    if (!member) {
      member = shape.members.get(canonicalPath(key))
      if (!member) {
        noteUnknown(shape, key, record, tidying)
        continue
      }
      delete record[key]
      record[member.name] ??= value
    }
    if (value === null || value === undefined) continue
    if (member.shape) record[member.name] = tidyGroup(value, member, member.shape, tidying)
    else if (!isField(value)) throw new RowError(`${pathOf(shape, key)} is no single value or list`)
    else if (member.range || member.terms || member.form) {
      const tidy = valueIn(value, member, () => tidying.tallyOf(pathOf(shape, member.name)))
      record[member.name] = tidy
      if (member.range && typeof tidy === 'number') {
        noteNumber(tidy, member, pathOf(shape, member.name), tidying)
      }
    } else if (isWrittenNothing(value)) {
      const path = pathOf(shape, member.name)
      tidying.noteDoubt(`values of ${path} are texts by which programs write no value`, value)
    }
  }
  if (shape.hasPlace) {
    settlePlace(record, {
      isMutation: shape.members.has('reference_allele'),
      chromosomeTally: () => tidying.tallyOf(pathOf(shape, 'chromosome')),
      noteDoubt: tidying.noteDoubt,
    })
  }
  return record
}

/** Longest text that a program writes in place of a value, and that no field has among its terms. */
const LONGEST_NOTHING = 4

/** Returns whether a text is what a program writes for no value. Some fields have the term `None`. */
function isWrittenNothing(value: Json): value is string {
  if (typeof value !== 'string' || value.length > LONGEST_NOTHING) return false
  return WRITTEN_NOTHING.has(value) && value.toLowerCase() !== 'none'
}

/** Returns a field's value as numbers, terms or texts in their usual form. */
function valueIn(value: Json, member: Member, tallyOf: () => ColumnTally): Json {
  const { range, terms, form } = member
  if (range) return numbersIn(value, member, range, tallyOf)
  if (terms) {
    return Array.isArray(value)
      ? value.map((each) => termIn(each, terms, tallyOf))
      : termIn(value, terms, tallyOf)
  }
  if (!form) return value
  if (form.separator) return listIn(value, form, form.separator, tallyOf)
  return typeof value === 'string' ? formIn(value, form, tallyOf) : value
}

/** Returns the values of a field that is a list, which may be given as one text. */
function listIn(value: Json, form: Form, separator: RegExp, tallyOf: () => ColumnTally): Json {
  const given = [value].flat()
  const texts = given.flatMap((each) => {
    if (each === null) return []
    const text = String(each).trim()
    return form.of(text) === undefined ? text.split(separator) : [text]
  })
  const filled = texts.map((text) => text.trim()).filter((text) => text !== '')
  return [...new Set(filled.map((text) => formIn(text, form, tallyOf)))]
}

function formIn(text: string, form: Form, tallyOf: () => ColumnTally): string {
  const usual = form.of(text)
  if (usual === undefined) tallyOf().addMisunderstood(text)
  else if (usual !== text) tallyOf().addChange(form.change)
  return usual ?? text
}

/** Records a number if it is possible, and reports it if it is probably wrong. */
function noteNumber(
  value: number,
  { name, range, isWhole }: Member,
  path: string,
  { noteMeasure, noteDoubt }: Tidying,
): void {
  const measure = range?.measure
  if (measure) noteMeasure(path, measure, value)
  if (isWhole && !Number.isInteger(value)) {
    noteDoubt(
      `values of ${path} have a fraction, which stays, in a field of whole numbers`,
      `${value}`,
    )
  }
  if ((measure || path.includes('days_to_')) && PLACEHOLDERS.has(value)) {
    noteDoubt(`values of ${path} are numbers that often stand for a missing value`, `${value}`)
  } else if (value < 0 && NOT_BEFORE.has(name)) {
    noteDoubt(
      `values of ${path} are below 0, before the day from which days are counted`,
      `${value}`,
    )
  }
}

/** Days of a patient's end, which are hardly before the diagnosis. */
const NOT_BEFORE: ReadonlySet<string> = new Set(['days_to_death', 'days_to_last_follow_up'])

/** Numbers by which programs and registries mark missing days. */
const PLACEHOLDERS: ReadonlySet<number> = new Set([-99, -999, -9999, -99_999, 9999])

function tidyGroup(value: Json, { name, isNested }: Member, shape: Shape, tidying: Tidying): Json {
  if (Array.isArray(value)) {
    const elements: JsonObject[] = []
    for (const element of value) {
      if (element === null) continue
      if (!isObject(element)) throw new RowError(`${shape.path} is a list of other than objects`)
      elements.push(tidyRecord(element, shape, tidying))
    }
    return elements
  }
  if (!isObject(value)) throw new RowError(`${name} is neither an object nor a list of objects`)
  const tidy = tidyRecord(value, shape, tidying)
  return isNested ? [tidy] : tidy
}

const isNumeric = (type: FieldType | undefined) =>
  type === 'long' || type === 'double' || type === 'float'

/** Converts texts in a numeric field to numbers. A text that is not a possible number becomes null. */
function numbersIn(
  value: Json,
  member: Pick<Member, 'isWhole'>,
  range: NumberRange,
  tallyOf: () => ColumnTally,
): Json {
  if (Array.isArray(value)) return value.map((each) => numbersIn(each, member, range, tallyOf))
  const number =
    typeof value === 'number' || value === null
      ? value
      : (new ColumnReader(member.isWhole ? WHOLE : NUMBERS, tallyOf()).read(String(value)) ?? null)
  if (number === null || (number >= range.min && number <= range.max)) return number
  tallyOf().addMisunderstood(String(number))
  return null
}

/**
 * Returns the term for a value. Other values count as not understood. They are kept unless the field accepts
 * only terms.
 */
function termIn(value: Json, terms: Terms, tallyOf: () => ColumnTally): Json {
  if (value === null) return value
  const text = String(value).trim()
  const term = terms.find(text)
  if (term === value || text === '') return value
  const tally = tallyOf()
  if (term !== undefined) {
    tally.addChange(TERM_CHANGE)
    return term
  }
  if (EMPTY_WORDS.has(text)) {
    tally.empty++
    return null
  }
  tally.addMisunderstood(text)
  return terms.isClosed ? null : value
}

const NUMBERS = number('')
const WHOLE = { ...NUMBERS, isWhole: true }

/** Returns whether a value is a single value or a list of single values. */
function isField(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null)
}

function noteUnknown(shape: Shape, key: string, record: JsonObject, tidying: Tidying): void {
  // Prevents a change of the prototype by a copy.
  if (key === '__proto__') delete record[key]
  // A record may have its id under this name in addition to its id field (data-commons-service.md 2.1).
  if (key === 'id' && shape.path === '') return
  tidying.noteUnknown(pathOf(shape, key))
}

const pathOf = ({ path }: Shape, key: string) => (path === '' ? key : `${path}.${key}`)
