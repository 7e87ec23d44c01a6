/**
 * In place of what a page that is a file has no use for, so that its code is smaller: static/bundle.mjs puts this there.
 * What takes a server is not shown in a file; nothing of this is ever drawn.
 */
const nothing = () => null;

export {
  nothing as addPluginPanels,
  nothing as backToClass,
  nothing as cancel,
  nothing as compareWithXla,
  nothing as enterRoom,
  nothing as Exercise,
  nothing as FeedDialog,
  nothing as InputsDialog,
  nothing as job,
  nothing as keepInRecents,
  nothing as Numbers,
  nothing as ReadOnlyNote,
  nothing as rememberedView,
  nothing as Room,
  nothing as RoomDialogs,
  nothing as roomItems,
  nothing as roomOfPage,
  nothing as runToLineWithXla,
  nothing as SavePage,
  nothing as SessionsMenu,
  nothing as ShareDialog,
  nothing as useMarks,
};
