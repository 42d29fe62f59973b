"""Help for learners who are stuck: the hints that they opened, and the problems that they gave up."""
