// SPDX-License-Identifier: Apache-2.0
// Starts the record of one state folder after another as darkroomd does, for Tests/Torture/powercuts.py: a
// daemon for each state would take a hundred times as long. A line of standard input is the path of a state
// folder, the answer is a line of JSON.

import Linux
import Record
import Steer
import Vocabulary

while let path = readLine(strippingNewline: true) {
  try StandardStream.output.write(
    Array((JSONWriter.text(.object(StateLook.answer(path))) + "\n").utf8))
}
