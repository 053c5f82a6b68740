import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

// A doc comment stands alone: a reader who opens the file at that line understands it. Two signs that it
// does not are checked here, in the folders whose comments have been rewritten.

/** Folders, or files, that are checked. Add yours when its comments are rewritten. */
const REWRITTEN: readonly string[] = [
  'engine/commons/lake',
  'engine/commons/render',
  'engine/commons/case-tables',
  'engine/commons/drs',
  'engine/commons/htsget',
  'engine/commons/datasets',
  'engine/commons/distribution',
  'engine/commons/search',
  'engine/commons/query',
  'engine/commons/release',
  'engine/commons/containers',
  'engine/commons/files',
  'engine/commons/slicing',
  'engine/commons/analysis',
  'engine/commons/import',
  'engine/shared',
  'engine/submission',
  'engine/registry',
  'server',
  'bin',
  'workers',
  'explorer',
]

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** First words of a comment that leaves out its subject. */
const FRAGMENT = /^(?:In|By|What|That|Of|Those|As|Such)\b/

const DOC_COMMENT = /^[^\S\n]*\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(.*)$/gm

/** The declared name: of an export, a local declaration, or a member. */
const DECLARED =
  /^(?:(?:export|declare|abstract|async|static|readonly|private|get|set|const|let|function\*?|class|interface|type)\s+)*([\w$]+)/

interface Fault {
  readonly line: number
  readonly fault: string
}

function faultsOf(source: string): Fault[] {
  return [...source.matchAll(DOC_COMMENT)].flatMap((match) => {
    const [, body = '', declaration = ''] = match
    const text = body
      .replace(/^\s*\*/gm, '')
      .replace(/\s+/g, ' ')
      .trim()
    const line = source.slice(0, match.index).split('\n').length
    const name = DECLARED.exec(declaration)?.[1] ?? ''
    if (FRAGMENT.test(text)) return [{ line, fault: `has no subject: "${text}"` }]
    if (name !== '' && saysOnly(name, text)) return [{ line, fault: `repeats its name: "${text}"` }]
    return []
  })
}

function saysOnly(name: string, text: string): boolean {
  const spoken = text.match(/[A-Za-z0-9]+/g) ?? []
  const words = spoken.filter((word) => !/^(?:the|an?|of|its)$/i.test(word))
  return words.join('').toLowerCase() === name.replace(/[_$]/g, '').toLowerCase()
}

/** Returns the TypeScript files under a path, without tests and their helpers, with forward slashes. */
function sourcesUnder(path: string): string[] {
  if (/\.tsx?$/.test(path)) return [path]
  return readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length).split(sep).join('/'))
    .filter((file) => !/\.test\.tsx?$|\/support\//.test(file))
}

describe('doc comments', () => {
  test.each(REWRITTEN)('%s has comments that stand alone', (folder) => {
    const sources = sourcesUnder(folder)
    expect(sources).not.toEqual([])
    const faults = sources.flatMap((path) =>
      faultsOf(readFileSync(join(ROOT, path), 'utf8')).map(
        ({ line, fault }) => `${path}:${line} ${fault}`,
      ),
    )
    expect(faults).toEqual([])
  })

  test('a comment without a subject is found, with its line', () => {
    const source = [
      'export interface Cache {',
      '  /** In order of use. */',
      '  readonly keys: readonly string[]',
      '  /** Number of bytes held in memory. */',
      '  readonly bytes: number',
      '}',
      '',
      '/**',
      ' * What a job needs.',
      ' */',
      'export interface Job {}',
    ].join('\n')
    expect(faultsOf(source)).toEqual([
      { line: 2, fault: 'has no subject: "In order of use."' },
      { line: 8, fault: 'has no subject: "What a job needs."' },
    ])
  })

  test.each([
    ['/** The job. */\nexport interface Job {}', 1],
    ['  /** The max row count. */\n  readonly maxRowCount: number', 1],
    ['/** A job that reads a file. */\nexport interface Job {}', 0],
    ['/** Inserts a row. */\nexport async function insert(): Promise<void> {}', 0],
  ])('%j repeats its name or does not', (source, count) => {
    expect(faultsOf(source)).toHaveLength(count)
  })
})
