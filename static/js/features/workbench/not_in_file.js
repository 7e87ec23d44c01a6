/**
 * Replaces modules that need a server in a saved page, by static/bundle.mjs, to keep the page small. Nothing of this
 * is rendered.
 */
const nothing = () => null;

export {
  nothing as addPluginPanels,
  nothing as backToClass,
  nothing as cancel,
  nothing as compareWithXla,
  nothing as drawing,
  nothing as enterRoom,
  nothing as Evaluated,
  nothing as Exercise,
  nothing as FeedDialog,
  nothing as Follow,
  nothing as InputsDialog,
  nothing as job,
  nothing as keepInRecents,
  nothing as Live,
  nothing as Numbers,
  nothing as ReadOnlyNote,
  nothing as rememberedView,
  nothing as renameAt,
  nothing as Room,
  nothing as RoomDialogs,
  nothing as roomItems,
  nothing as roomOfPage,
  nothing as otherEngines,
  nothing as Prompt,
  nothing as runOn,
  nothing as runToLineWithXla,
  nothing as SavePage,
  nothing as serverItems,
  nothing as SessionsMenu,
  nothing as ShareDialog,
  nothing as StepIn,
  nothing as StepInButton,
  nothing as stepsInto,
  nothing as useMarks,
  nothing as watchValue,
};
