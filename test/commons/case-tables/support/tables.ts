import type { App } from '../../../../server/http/compose.ts'
import { membersOf } from '../../contract/support/archives.ts'

/** The rows of a table as objects, parsed without the engine. */
export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly Readonly<Record<string, string>>[]
}

export function tableOf(text = ''): Table {
  const [header = '', ...lines] = text.split('\n')
  // Every line ends with a line break.
  if (lines.pop() !== '') throw new Error('the last line is cut')
  const columns = header.split('\t')
  const rows = lines.map((line) => {
    const cells = line.split('\t')
    if (cells.length !== columns.length) throw new Error(`${cells.length} cells in ${line}`)
    return Object.fromEntries(columns.map((name, i) => [name, cells[i] ?? '']))
  })
  return { columns, rows }
}

/** Posts a form, as the portal does. */
export const post = async (app: App, path: string, form: Readonly<Record<string, string>>) =>
  app.request(`http://localhost${path}`, { method: 'POST', body: new URLSearchParams(form) })

/** The tables of an answer, by the names of their files. */
export async function tablesOf(response: Response): Promise<ReadonlyMap<string, Table>> {
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  const members = await membersOf(Buffer.from(await response.arrayBuffer()))
  return new Map(members.map(({ name, bytes }) => [name, tableOf(bytes.toString())]))
}
