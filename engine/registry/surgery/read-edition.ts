import { basename } from 'node:path'
import { EngineError } from '../../shared/errors.ts'
import { FormatError } from '../../shared/formats/format-error.ts'
import { readXml, type XmlElement } from '../../shared/formats/read-xml.ts'
import { readTextFile } from '../../shared/input/text-file.ts'
import { errorIn } from '../error-in.ts'
import type { SurgeryEdition, SurgeryRow, SurgeryTable } from './model.ts'

/** Published files have about 200 kB. */
const MAX_BYTES = 2 << 20

const SITES = /^C\d{3}(?:-C\d{3})?(?:,C\d{3}(?:-C\d{3})?)*$/
const HISTOLOGIES = /^\d{4}(?:-\d{4})?(?:,\d{4}(?:-\d{4})?)*$/

/**
 * Reads the tables of a published file (registry-lookups.md 2).
 * @throws EngineError as readTextFile does; `bad_input`, naming file and table, for an invalid file
 */
export async function readEdition(
  path: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<SurgeryEdition> {
  const file = basename(path)
  const text = await readTextFile(path, { maxBytes: MAX_BYTES, signal })
  try {
    return editionOf(readXml(text), file)
  } catch (cause) {
    throw errorIn(file, cause instanceof FormatError ? refused(cause.message) : cause, ': ')
  }
}

function editionOf(root: XmlElement, file: string): SurgeryEdition {
  if (root.name !== 'surgery-tables') {
    throw refused(`the root is <${root.name}>; give a file of <surgery-tables>`)
  }
  const tables = root.children.map((element) => {
    if (element.name !== 'surgery-table') throw refused(`<${element.name}> is no <surgery-table>`)
    const title = element.attributes.title ?? ''
    if (title === '') throw refused('a table has no title')
    try {
      return tableOf(element, title)
    } catch (cause) {
      throw errorIn(title, cause, ': ')
    }
  })
  if (tables.length === 0) throw refused('there is no <surgery-table> in it')
  const titles = new Set(tables.map(({ title }) => title))
  if (titles.size < tables.length) throw refused('two tables have the same title')
  const { version = '', 'version-name': name = version } = root.attributes
  return { year: yearOf(file, version), name, tables }
}

/**
 * Returns the year at the end of the file name. Without one, returns the year of the version. They differ if an
 * edition is valid from an earlier year than its manual.
 */
function yearOf(file: string, version: string): number {
  const year = /(?:^|\D)(\d{4})(?:\.xml)?(?:\.gz)?$/i.exec(file)?.[1] ?? version
  if (/^\d{4}$/.test(year)) return Number(year)
  throw refused('neither the end of its name nor its version is a year, such as tables-2014.xml')
}

const CELLS = ['site-inclusion', 'hist-inclusion', 'hist-exclusion', 'pre-note', 'post-note']

function tableOf({ children }: XmlElement, title: string): SurgeryTable {
  const odd = children.find(({ name }) => name !== 'row' && !CELLS.includes(name))
  if (odd) throw refused(`<${odd.name}> is none of <row>, <${CELLS.join('>, <')}>`)
  const rows = children.filter(({ name }) => name === 'row').map(rowOf)
  return {
    title,
    ...member('site_inclusions', ranges(children, 'site-inclusion', SITES)),
    ...member('hist_exclusions', ranges(children, 'hist-exclusion', HISTOLOGIES)),
    ...member('hist_inclusions', ranges(children, 'hist-inclusion', HISTOLOGIES)),
    ...member('pre_note', textOf(children, 'pre-note')),
    ...member('post_note', textOf(children, 'post-note')),
    row: rows,
  }
}

/** Leaves out an empty member. */
function member<Name extends string>(name: Name, text: string | undefined) {
  return (text ? { [name]: text } : {}) as { readonly [N in Name]?: string }
}

/** Returns the text of the only child with a name, or undefined if no child has it. */
function textOf(children: readonly XmlElement[], name: string): string | undefined {
  const [one, ...others] = children.filter((child) => child.name === name)
  if (others.length > 0) throw refused(`<${name}> is there more than once`)
  const [inner] = one?.children ?? []
  if (inner) throw refused(`<${name}> has <${inner.name}> in it; put its HTML into CDATA`)
  return one?.text
}

function ranges(children: readonly XmlElement[], name: string, form: RegExp): string | undefined {
  const text = textOf(children, name)
  if (!text || form.test(text)) return text
  const example = form === SITES ? 'C000-C009,C019' : '9727,9741-9742'
  throw refused(`<${name}> is no list such as ${example}`)
}

function rowOf({ attributes, children }: XmlElement, index: number): SurgeryRow {
  const place = `row ${index + 1}`
  const { level = '0', break: isBreak = 'false' } = attributes
  if (!/^\d$/.test(level)) throw refused(`the level of ${place} is no digit`)
  if (isBreak !== 'true' && isBreak !== 'false') {
    throw refused(`break of ${place} is neither true nor false`)
  }
  const odd = children.find(({ name }) => name !== 'code' && name !== 'description')
  if (odd) throw refused(`${place} has <${odd.name}>, which is neither <code> nor <description>`)
  const code = textOf(children, 'code')
  const description = textOf(children, 'description')
  if (isBreak === 'true') {
    if (code || description) throw refused(`${place} is a break and has a text`)
    return { level: Number(level), line_break: true }
  }
  if (description === undefined) throw refused(`${place} has no <description>`)
  const coded = code === undefined ? {} : { code }
  return { ...coded, description, level: Number(level), line_break: false }
}

const refused = (message: string) => new EngineError('bad_input', message)
