import { EngineError } from '../errors.ts'

/**
 * The ids of a download manifest (contract 4.1): the column `id`; others are not looked at. Blank
 * lines are passed over, lines may end with CRLF.
 * @throws EngineError bad_input naming the line
 */
export function idsOfManifest(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/, '').split('\n')
  const first = lines.findIndex((line) => line.trim() !== '')
  if (first < 0) throw fault('the body is empty; send a download manifest', 'body')
  const column = cellsOf(lines[first]).indexOf('id')
  if (column < 0) {
    const message = 'the first line of the manifest has no column "id"; send its header, too'
    throw fault(message, `line ${first + 1}`)
  }
  const ids: string[] = []
  for (let i = first + 1; i < lines.length; i++) {
    const line = lines[i] ?? ''
    if (line.trim() === '') continue
    const id = cellsOf(line)[column] ?? ''
    if (id === '') throw fault(`line ${i + 1} of the manifest has no id`, `line ${i + 1}`)
    ids.push(id)
  }
  if (ids.length > 0) return ids
  throw fault('the manifest has no line below its header; send it with its line breaks', 'body')
}

const cellsOf = (line = '') => line.split('\t').map((cell) => cell.trim())

const fault = (message: string, at: string) => new EngineError('bad_input', message, { at })
