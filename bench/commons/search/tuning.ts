import type { Answer } from './answers.ts'
import { type Chosen, chooseForm } from './form.ts'
import { PINS, selectedBy } from './pins.ts'
import type { Kind, Question, QuestionSet } from './questions.ts'
import type { Peer, Stage } from './stage.ts'

/** A peer with the way that it was fastest with. */
export interface TunedPeer extends Chosen {
  readonly peer: Peer
  readonly kind: Kind
}

/**
 * Everyone's answers to a workload are compared, and each peer chooses its way, once and before
 * anything is measured.
 */
export class Tuning {
  readonly #stage: Stage
  readonly #done = new Map<QuestionSet, readonly TunedPeer[]>()

  constructor(stage: Stage) {
    this.#stage = stage
  }

  /** @throws Error when an answer differs from the others or from what is pinned */
  async peersFor(workload: QuestionSet): Promise<readonly TunedPeer[]> {
    const done = this.#done.get(workload)
    if (done) return done
    const { questions, peers, scratch, note } = this.#stage
    note(`${workload}: comparing answers`)
    const asked = questions[workload]
    const { kind } = asked[0]!
    const expected = await answersOfOurs(this.#stage, workload, asked)
    const tuned: TunedPeer[] = []
    for (const peer of peers) {
      const party = { name: `${workload}: ${peer.name}`, forms: peer.forms(kind) }
      if (party.forms.length === 0) continue
      tuned.push({
        peer,
        kind,
        ...(await chooseForm(party, asked, expected, `${scratch}/${peer.name}`)),
      })
    }
    this.#done.set(workload, tuned)
    return tuned
  }

  /** Which way each peer took for each workload, and what all of them took, in milliseconds. */
  report() {
    const entries = [...this.#done].map(([workload, peers]) => [
      workload,
      Object.fromEntries(
        peers.map(({ peer, form, tried }) => [peer.name, { chosen: form.name, tried }]),
      ),
    ])
    return Object.fromEntries(entries)
  }
}

async function answersOfOurs(
  { ours, input, scratch }: Stage,
  workload: QuestionSet,
  questions: readonly Question[],
): Promise<Answer[]> {
  const pins = PINS[input.name][workload]
  const answers: Answer[] = []
  for (const [i, question] of questions.entries()) {
    const answer = await (await ours.ask(question, `${scratch}/ours`)).answer()
    const selected = selectedBy(question, answer)
    const pinned = pins[i]
    if (pinned !== undefined && String(selected) !== String(pinned)) {
      throw new Error(`${workload}, question ${i}: ${selected} instead of ${pinned}`)
    }
    answers.push(answer)
  }
  return answers
}
