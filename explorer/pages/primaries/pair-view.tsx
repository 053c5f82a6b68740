import { Answered } from '../../parts/answered.tsx'
import { FoldedRequests } from '../../parts/figure.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import type { Tumour } from './tumours.ts'

interface PairAnswer {
  readonly result: string
  readonly group_name?: string
  readonly step?: string
  readonly reason?: string
  readonly applied_rules?: readonly {
    readonly step: string
    readonly question: string
    readonly reason: string
    readonly notes: readonly string[]
  }[]
}

interface PairViewProps {
  readonly title: string
  readonly pair: readonly [Tumour, Tumour]
}

/** Shows two tumours and the rules that were applied, up to the one that decided. */
export function PairView({ title, pair: [input1, input2] }: PairViewProps) {
  const request: ServiceRequest = {
    path: '/rest/mph',
    body: { input1: { ...input1 }, input2: { ...input2 } },
    credential: 'key',
  }
  const answer = useAnswer<PairAnswer>(request)
  return (
    <section class="case">
      <h2>{title}</h2>
      <Answered answer={answer}>
        {({ result, group_name, reason, applied_rules = [] }) => (
          <>
            <p class="result">{result.toLowerCase().replaceAll('_', ' ')}</p>
            {reason && <p>{reason}</p>}
            {group_name && <p class="soft">Rules of {group_name}</p>}
            <ol class="path">
              {applied_rules.map(({ step, question, notes }, index) => (
                <li key={step} class={index === applied_rules.length - 1 ? 'fits' : undefined}>
                  <strong>{step}</strong> {question}{' '}
                  {index === applied_rules.length - 1 ? 'This decided.' : 'It did not decide.'}
                  {notes.map((note) => (
                    <p key={note} class="soft">
                      {note}
                    </p>
                  ))}
                </li>
              ))}
            </ol>
            <FoldedRequests requests={[request]} />
          </>
        )}
      </Answered>
    </section>
  )
}
