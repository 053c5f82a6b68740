import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** What a block of code is written in, of those that are run. */
const LANGUAGES = ['sh', 'python', 'r'] as const
export type Language = (typeof LANGUAGES)[number]

/** A block of a page that a reader pastes. */
interface Step {
  readonly language: Language
  readonly code: string
  /** The block `text` behind it: what it prints. */
  readonly printed?: string | undefined
  /** Of its first line in the page. */
  readonly line: number
}

/** A page of the documents as somebody follows it. */
export interface Page {
  readonly path: string
  readonly steps: readonly Step[]
  /** What the page says that its reader needs: programs, files and folders. */
  readonly needs: readonly string[]
  /** Whether it starts the demo. */
  readonly isOfDemo: boolean
}

/** Reads a page of this project. */
export function readPage(path: string): Page {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const blocks = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map((match) => {
    const [, language = '', code = ''] = match
    return { language, code, line: text.slice(0, match.index).split('\n').length + 1 }
  })
  const steps = blocks.flatMap(({ language, code, line }, i) => {
    if (!isLanguage(language)) return []
    const next = blocks[i + 1]
    return [{ language, code, line, printed: next?.language === 'text' ? next.code : undefined }]
  })
  const isOfDemo = steps.some(({ code }) => code.match(STARTING)?.[0].match(/ (?:start|serve)$/))
  return { path, steps, needs: needsOf(text), isOfDemo }
}

function isLanguage(name: string): name is Language {
  return (LANGUAGES as readonly string[]).includes(name)
}

/** Names in the sentences that begin with "You need". */
function needsOf(text: string): string[] {
  const sentences = text.replace(/^```.*?^```$/gms, '').match(/\bYou need\b[^.]*(?:\.\w[^.]*)*/g)
  return (sentences ?? []).flatMap((sentence) =>
    [...sentence.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  )
}

/** A line that starts the service, which keeps the terminal from then on. */
export const STARTING = /^(?:npm ci && )?(?:npm start|npx casemill serve)\b.*$/m

/**
 * Whether lines are those that a block shows: `...` stands for any lines, or for any text in one.
 * Blanks at the ends of lines do not count: R and pandas fill up their columns.
 */
export function shows(printed: string, output: string): boolean {
  const pattern = printed
    .trimEnd()
    .split('\n')
    .map((line) => (line.trim() === '...' ? '(?:[^\\n]*\\n)*?' : `${lineForm(line)}\\n`))
    .join('')
  return new RegExp(`^${pattern}$`).test(`${output.trimEnd().replace(/[ \t]+$/gm, '')}\n`)
}

const lineForm = (line: string) => line.trimEnd().split('...').map(literally).join('[^\\n]*')

const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
