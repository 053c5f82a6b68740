import { useEffect, useRef, useState } from 'preact/hooks'
import { withQuery } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { Answered } from '../../parts/answered.tsx'
import { FoldedRequests } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { EmptyNote } from '../../parts/notes.tsx'
import { useService } from '../../service/context.ts'
import type { ServiceRequest } from '../../service/service.ts'
import { useAnswer } from '../../service/use-answer.ts'
import { AREAS, type Area, type Entry } from './areas.ts'
import { FactList } from './fact-list.tsx'

/** Pause in typing after which a search is sent. */
const PAUSE_MILLISECONDS = 150

/** Page that searches drugs, diseases, terms, products and procedures. */
export function ReferencePage() {
  const { address, change } = usePlace()
  const hasKey = useService().credentials.key !== ''
  const asked = address.query.get('q') ?? ''
  const [text, setText] = useState(asked)
  // Changes of the URL that result from typing here must not reset the text.
  const sent = useRef(asked)
  useEffect(() => {
    if (asked !== sent.current) setText(asked)
    sent.current = asked
  }, [asked])
  useEffect(() => {
    if (text.trim() === asked) return
    const pause = setTimeout(() => {
      sent.current = text.trim()
      change({ q: text.trim(), open: undefined }, { replaces: true })
    }, PAUSE_MILLISECONDS)
    return () => clearTimeout(pause)
  }, [text, asked, change])
  if (!hasKey) {
    return <EmptyNote>The registry needs a key. Enter it under “Sign in”.</EmptyNote>
  }
  return (
    <>
      <search class="controls">
        <label>
          Name, code or word
          <input
            type="search"
            size={40}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
      </search>
      {asked === '' ? (
        <EmptyNote>Search for a drug, a disease, a term, a product or a procedure.</EmptyNote>
      ) : (
        AREAS.map((area) => <AreaView key={area.name} area={area} asked={asked} />)
      )}
    </>
  )
}

function AreaView({ area, asked }: { readonly area: Area; readonly asked: string }) {
  const { address } = usePlace()
  const request: ServiceRequest = {
    path: area.searchPath,
    query: { q: asked, count: MAX_RESULTS },
    credential: 'key',
  }
  const answer = useAnswer<unknown>(request)
  const opened = address.query.get('open')
  return (
    <section>
      <h2>{area.title}</h2>
      <Answered answer={answer}>
        {(data) => {
          const entries = area.read(data)
          if (entries.length === 0) return <EmptyNote>No results.</EmptyNote>
          return (
            <>
              <ul class="entries">
                {entries.map((entry) => {
                  const name = `${area.name}:${entry.id}`
                  return (
                    <li key={entry.id}>
                      <Link
                        to={withQuery(address, { open: opened === name ? undefined : name })}
                        current={opened === name}
                      >
                        {entry.title}
                      </Link>{' '}
                      <span class="soft">{entry.detail}</span>
                      {opened === name && <EntryView area={area} entry={entry} />}
                    </li>
                  )
                })}
              </ul>
              <FoldedRequests requests={[request]} />
            </>
          )
        }}
      </Answered>
    </section>
  )
}

const MAX_RESULTS = 10

function EntryView({ area, entry }: { readonly area: Area; readonly entry: Entry }) {
  const answer = useAnswer<Readonly<Record<string, unknown>>>({
    path: area.pathOf(entry.id),
    credential: 'key',
  })
  return <Answered answer={answer}>{(facts) => <FactList facts={facts} />}</Answered>
}
