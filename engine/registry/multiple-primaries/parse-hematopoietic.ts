import { EngineError } from '../../shared/errors.ts'
import { wholeDigits } from '../../shared/input/decimal.ts'
import { headedTable } from '../../shared/input/text-table.ts'
import { inTable } from '../error-in.ts'
import type { HematopoieticData, HematopoieticTable, MorphologyPair } from './hematopoietic-data.ts'

/** Fields of a line by column. Each method throws an EngineError that names the place. */
interface Line {
  text(column: string): string
  /** Parses a histology such as `9699`. */
  histology(column: string): string
  /** Parses a morphology such as `9699/3`. */
  morphology(column: string): string
  number(column: string): number
  year(column: string): number | undefined
}

/** Longer fields are shortened in error messages. */
const LONGEST = 40

type Read<T> = (line: Line) => T

interface Layout<T> {
  readonly columns: readonly string[]
  readonly read: Read<T>
}

/** Layouts of the published files. The columns identify the table. */
export const LAYOUTS: {
  readonly [K in HematopoieticTable]: Layout<HematopoieticData[K][number]>
} = {
  rangePairs1998: {
    columns: [
      'HistologyLow',
      'HistologyHigh',
      'SameHistologyLow',
      'SameHistologyHigh',
      'HistologyGroup',
    ],
    read: (line) => ({
      low: line.histology('HistologyLow'),
      high: line.histology('HistologyHigh'),
      sameLow: line.histology('SameHistologyLow'),
      sameHigh: line.histology('SameHistologyHigh'),
      group: line.text('HistologyGroup'),
    }),
  },
  groups2001: {
    columns: ['HistologyGroupNumber', 'HistologyLow', 'HistologyHigh', 'HistologyGroupName'],
    read: (line) => ({
      number: line.number('HistologyGroupNumber'),
      low: line.histology('HistologyLow'),
      high: line.histology('HistologyHigh'),
      name: line.text('HistologyGroupName'),
    }),
  },
  groupPairs2001: {
    columns: ['FirstDxHistologyGroup', 'SecondDxHistologyGroup'],
    read: (line) => [line.number('FirstDxHistologyGroup'), line.number('SecondDxHistologyGroup')],
  },
  samePrimary2010: pairLayout('same primary'),
  transformFrom2010: pairLayout('transform from'),
  transformTo2010: pairLayout('transform to'),
}

function pairLayout(other: string): Layout<MorphologyPair> {
  return {
    columns: ['morphology', 'valid start year', 'valid end year', 'start year', 'end year', other],
    read: (line) => {
      const years = {
        validStart: line.year('valid start year'),
        validEnd: line.year('valid end year'),
        start: line.year('start year'),
        end: line.year('end year'),
      }
      return {
        morphology: line.morphology('morphology'),
        ...withoutUndefined(years),
        other: line.morphology(other),
      }
    },
  }
}

/**
 * Parses one table from CSV. Its column names show which table it is. The caller merges the result into the
 * other tables.
 * @param name file name for errors
 * @throws EngineError `bad_input`, naming file, line and column
 */
export function parseHematopoietic(name: string, text: string): Partial<HematopoieticData> {
  const { header: columns, rows } = inTable(name, () => headedTable(text, ','))
  const tables = Object.keys(LAYOUTS) as HematopoieticTable[]
  const table = tables.find((one) =>
    LAYOUTS[one].columns.every((wanted) => columns.includes(wanted)),
  )
  if (table === undefined) {
    throw refused(
      name,
      1,
      `has no columns of a table of pairs, such as ${LAYOUTS.groupPairs2001.columns}`,
    )
  }
  if (rows.length === 0) throw refused(name, 1, 'is followed by no line, and a table has some')
  const read: Read<unknown> = LAYOUTS[table].read
  return { [table]: rows.map(({ line, cells }) => read(lineOf(name, line, columns, cells))) }
}

function lineOf(
  name: string,
  number: number,
  columns: readonly string[],
  fields: readonly string[],
): Line {
  if (fields.length !== columns.length) {
    throw refused(name, number, `has ${fields.length} cells, the first line ${columns.length}`)
  }
  const text = (column: string) => fields[columns.indexOf(column)]?.trim() ?? ''
  // Some programs write 2001.0 in numeric columns with gaps.
  const digits = (column: string) => wholeDigits(text(column)) ?? text(column)
  const matching = (field: string, column: string, form: RegExp, wanted: string): string => {
    if (form.test(field)) return field
    throw refused(name, number, `has "${field.slice(0, LONGEST)}" as "${column}"; give ${wanted}`)
  }
  return {
    text,
    histology: (column) =>
      matching(digits(column), column, /^[89]\d{3}$/, 'a histology from 8000 to 9999'),
    morphology: (column) =>
      matching(text(column), column, /^[89]\d{3}\/\d$/, 'a morphology such as 9699/3'),
    number: (column) =>
      Number(matching(digits(column), column, /^\d{1,4}$/, 'the number of a group')),
    year: (column) => {
      const year = matching(
        digits(column),
        column,
        /^(\d{4})?$/,
        'a year in four digits or nothing',
      )
      return year === '' ? undefined : Number(year)
    },
  }
}

function withoutUndefined<K extends string>(
  years: Readonly<Record<K, number | undefined>>,
): { readonly [P in K]?: number } {
  const known = Object.entries(years).filter(([, year]) => year !== undefined)
  return Object.fromEntries(known) as { readonly [P in K]?: number }
}

function refused(name: string, line: number, what: string): EngineError {
  return new EngineError('bad_input', `line ${line} of ${name} ${what}`, { at: `line ${line}` })
}
