interface ReadingsProps {
  readonly readings: readonly string[]
  readonly questions: readonly string[]
}

/** Says how typed values were read, and asks about those with more than one meaning. */
export function Readings({ readings, questions }: ReadingsProps) {
  return (
    <>
      {questions.length > 0 && (
        <ul class="note error" role="alert">
          {questions.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {readings.length > 0 && (
        <ul class="note readings" aria-live="polite">
          {readings.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </>
  )
}
