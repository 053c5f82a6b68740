interface ReadingsProps {
  readonly readings: readonly string[]
  readonly questions: readonly string[]
}

/** Shows how typed values were read. If a value is ambiguous, lets the user choose. */
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
