import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** The languages of code blocks that are run. */
const LANGUAGES = ['sh', 'python', 'r'] as const
export type Language = (typeof LANGUAGES)[number]

/** A block of a page for the reader to paste. */
interface Step {
  readonly language: Language
  readonly code: string
  /** The output shown in the `text` block that follows. */
  readonly printed?: string | undefined
  /** The page's line on which it starts. */
  readonly line: number
}

/** A page of the documentation as a sequence of steps. */
export interface Page {
  readonly path: string
  readonly steps: readonly Step[]
  /** The requirements that the page states: programs, files and folders. */
  readonly needs: readonly string[]
  /** Whether the page starts the demo. */
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

/** A line that starts the service, which then occupies the terminal. */
export const STARTING = /^(?:npm ci && )?(?:npm start|npx casemill serve)\b.*$/m

/**
 * Whether output matches a block: `...` stands for any lines, or for any text in a line. Blanks at the ends of
 * lines are ignored, because R and pandas pad columns.
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
