import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { EngineError } from '../../shared/errors.ts'
import type { HematopoieticData, HematopoieticTable, MorphologyPair } from './hematopoietic-data.ts'

/** The fields of a line by column; each throws an EngineError that names the place. */
interface Line {
  text(column: string): string
  /** `9699` */
  histology(column: string): string
  /** `9699/3` */
  morphology(column: string): string
  number(column: string): number
  year(column: string): number | undefined
}

/** A field that is longer is not repeated in full. */
const LONGEST = 40

type Read<T> = (line: Line) => T

interface Layout<T> {
  readonly columns: readonly string[]
  readonly read: Read<T>
}

/** What the published files are like; the columns show which table a file is. */
const LAYOUTS: {
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
 * One table out of its CSV text, recognised by the names of its columns; lay it over the others.
 * @param name the file's name, for errors
 * @throws EngineError bad_input naming file, line and column
 */
export function parseHematopoietic(name: string, text: string): Partial<HematopoieticData> {
  const [head, ...lines] = readLines(name, text)
  const columns = head?.fields.map((column) => column.trim()) ?? []
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
  if (lines.length === 0) throw refused(name, 1, 'is followed by no line, and a table has some')
  const read: Read<unknown> = LAYOUTS[table].read
  return { [table]: lines.map(({ fields, number }) => read(lineOf(name, number, columns, fields))) }
}

interface FieldsOfLine {
  readonly number: number
  readonly fields: readonly string[]
}

function readLines(name: string, text: string): FieldsOfLine[] {
  try {
    const read = parse(text, { bom: true, skip_empty_lines: true, info: true }) as unknown as {
      readonly info: { readonly lines: number }
      readonly record: readonly string[]
    }[]
    return read.map(({ info, record }) => ({ number: info.lines, fields: record }))
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause
    const line = typeof cause.lines === 'number' ? cause.lines : 1
    throw refused(name, line, 'is not CSV with as many fields as the first line', cause)
  }
}

function lineOf(
  name: string,
  number: number,
  columns: readonly string[],
  fields: readonly string[],
): Line {
  const text = (column: string) => fields[columns.indexOf(column)]?.trim() ?? ''
  const matching = (column: string, form: RegExp, wanted: string): string => {
    const field = text(column)
    if (form.test(field)) return field
    throw refused(name, number, `has "${field.slice(0, LONGEST)}" as "${column}"; give ${wanted}`)
  }
  return {
    text,
    histology: (column) => matching(column, /^[89]\d{3}$/, 'a histology from 8000 to 9999'),
    morphology: (column) => matching(column, /^[89]\d{3}\/\d$/, 'a morphology such as 9699/3'),
    number: (column) => Number(matching(column, /^\d{1,4}$/, 'the number of a group')),
    year: (column) => {
      const year = matching(column, /^(\d{4})?$/, 'a year in four digits or nothing')
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

function refused(name: string, line: number, what: string, cause?: unknown): EngineError {
  return new EngineError('bad_input', `line ${line} of ${name} ${what}`, {
    at: `line ${line}`,
    cause,
  })
}
