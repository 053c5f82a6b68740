import type { SamplePart } from './samples.ts'

/** Shows samples as a tree. Parts of samples are folded. */
export function SampleTree({ parts }: { readonly parts: readonly SamplePart[] }) {
  return (
    <ul class="tree">
      {parts.map((part) => (
        <li key={`${part.kind} ${part.name}`}>
          {part.parts.length === 0 ? (
            <Line {...part} />
          ) : (
            <details open={part.kind === 'Sample'}>
              <summary>
                <Line {...part} />
              </summary>
              <SampleTree parts={part.parts} />
            </details>
          )}
        </li>
      ))}
    </ul>
  )
}

function Line({ kind, name, facts }: SamplePart) {
  return (
    <>
      {kind} <span class="anywhere">{name}</span>
      {facts !== '' && <span class="soft"> – {facts}</span>}
    </>
  )
}
