import { median } from '../../rounds.ts'
import { type Answer, differenceOf } from './answers.ts'
import type { Question } from './questions.ts'

/** Where bodies go that nobody looks at. */
export const NOWHERE = '/dev/null'

/**
 * What came back, as it came. Bringing it into the form that is compared is not part of the work
 * that is measured.
 */
export interface Reply {
  answer(): Answer | Promise<Answer>
  /** Milliseconds until the first bytes of a body were there, where that is known. */
  readonly firstByte?: number
}

/** One way to answer the questions of a workload. */
export interface Form {
  readonly name: string
  /** A body, if the answer is one, is written to the path. */
  ask(question: Question, path: string): Promise<Reply>
}

/** One of those who answer, with all the ways it was given for one workload. */
export interface Party {
  readonly name: string
  readonly forms: readonly Form[]
}

export interface Chosen {
  readonly form: Form
  /** Median milliseconds of every way that was tried. */
  readonly tried: Readonly<Record<string, number>>
}

const TRIES = 5
/** Questions that are tried again, of those that are answered by each way once. */
const MAX_QUESTIONS = 10
/** Milliseconds; a way that took longer per question is not tried again. */
const PATIENCE = 1_000

/**
 * Lets a party try all of its ways on all questions and keeps the fastest.
 * @throws Error when one of them answers anything else than what is expected
 */
export async function chooseForm(
  { name, forms }: Party,
  questions: readonly Question[],
  expected: readonly Answer[],
  path: string,
): Promise<Chosen> {
  const tried: Record<string, number> = {}
  for (const form of forms) {
    const first: number[] = []
    for (const [i, question] of questions.entries()) {
      const start = performance.now()
      const reply = await form.ask(question, path)
      first.push(performance.now() - start)
      const difference = differenceOf(expected[i], await reply.answer())
      if (difference !== undefined) {
        throw new Error(`${name}, ${form.name}, question ${i}: ${difference}; nothing is measured`)
      }
    }
    const isSlow = median(first) > PATIENCE
    tried[form.name] = isSlow ? median(first) : await timeForm(form, questions)
  }
  const form = forms.toSorted((a, b) => tried[a.name]! - tried[b.name]!)[0]!
  return { form, tried }
}

async function timeForm(form: Form, questions: readonly Question[]): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < TRIES * Math.min(questions.length, MAX_QUESTIONS); i++) {
    const start = performance.now()
    await form.ask(questions[i % questions.length]!, NOWHERE)
    times.push(performance.now() - start)
  }
  return median(times)
}
