import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

// A doc comment stands alone: a reader who opens the file at that line understands it. This test checks for two
// signs of the contrary in the folders whose comments have been rewritten.

/** Folders, or files, that are checked. Add yours when its comments are rewritten. */
const REWRITTEN: readonly string[] = [
  'engine/commons/commons.ts',
  'engine/commons/index.ts',
  'engine/commons/internal.ts',
  'engine/commons/sets',
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
  'examples',
  'fixtures',
  'tools/explorer',
  'tools/kubernetes',
  'tools/reference/make.ts',
  'tools/reference/unexported.ts',
  'tools/screenshots',
  'tools/upgrade',
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

/** Functions that only create an error, such as `const noGene = (id) => new EngineError('not_found', ...)`. */
const FACTORY =
  /\b(?:const|function) (\w+)(?:(?!\n\n|[;{}]\s*\n)[\s\S]){0,300}?(?:=>\s*|\{\s*return )new EngineError\(\s*'(\w+)'/g

const EXPORTED_FUNCTION =
  /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^export (?:async )?function\*? (\w+)((?:(?!^\}$)[\s\S])*)/gm

const THROWN = /\bthrow (?:new EngineError\(\s*'(\w+)'|(\w+)\()/g

/** Returns the codes of factories by their names, without names that several files declare in different ways. */
function factoriesOf(sources: readonly string[]): ReadonlyMap<string, string> {
  const found = sources.flatMap((source) => [...source.matchAll(FACTORY)])
  const codesOf = Map.groupBy(found, ([, name = '']) => name)
  const declared = sources.flatMap((source) => [
    ...source.matchAll(/^(?:export )?(?:const|function) (\w+)/gm),
  ])
  const countOf = Map.groupBy(declared, ([, name = '']) => name)
  return new Map(
    [...codesOf].flatMap(([name, matches]) => {
      const codes = new Set(matches.map(([, , code = '']) => code))
      const [code = ''] = codes
      const isSure = codes.size === 1 && (countOf.get(name)?.length ?? 0) <= matches.length
      return isSure ? [[name, code] as const] : []
    }),
  )
}

/** Returns the codes that exported functions throw and their doc comments do not name, by function. */
function unnamedCodes(source: string, factories: ReadonlyMap<string, string>): string[] {
  return [...source.matchAll(EXPORTED_FUNCTION)].flatMap(([, doc = '', name = '', body = '']) => {
    const codes = [...body.matchAll(THROWN)].map(
      ([, code, factory = '']) => code ?? factories.get(factory),
    )
    const thrown = new Set(codes.filter((code) => code !== undefined))
    const told = doc.slice(doc.indexOf('@throws'))
    const isTold = (code: string) =>
      doc.includes('@throws') && new RegExp(`\\b${code}\\b`).test(told)
    return [...thrown].filter((code) => !isTold(code)).map((code) => `${name} ${code}`)
  })
}

describe('thrown codes', () => {
  test('the doc comments of the functions that the engine exports name the codes that they throw', () => {
    const paths = sourcesUnder('engine')
    const texts = new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]))
    const factories = factoriesOf([...texts.values()])
    expect(factories.get('badInput')).toBe('bad_input')
    const unnamed = [...texts].flatMap(([path, text]) =>
      unnamedCodes(text, factories).map((each) => `${path} ${each}`),
    )
    expect(unnamed).toEqual([])
  })

  test('a code that a doc comment does not name is found, also behind a factory', () => {
    const source = [
      "const noGene = (id: string) => new EngineError('not_found', id)",
      "const odd = () => new EngineError('conflict', '')",
      '/** Finds a gene. @throws EngineError bad_input */',
      'export function find(id: string): void {',
      "  if (!id) throw new EngineError('bad_input', '')",
      '  throw noGene(id)',
      '}',
      'function inner(): void {',
      '  throw odd()',
      '}',
      'export async function* list() {',
      "  throw new EngineError('busy', '')",
      '}',
    ].join('\n')
    const factories = factoriesOf([source])
    expect(unnamedCodes(source, factories)).toEqual(['find not_found', 'list busy'])
  })
})
