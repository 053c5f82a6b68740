/** A function that acts at its first call alone: giving something back again then does no harm. */
export function onlyOnce(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}
